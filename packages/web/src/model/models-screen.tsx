import { useTitle } from "../app/title.ts";
import { Empty } from "../design/empty.tsx";

export function ModelsScreen() {
  useTitle("Models");
  return (
    <div class="stack">
      <h1>Models</h1>
      <Empty title="Not here yet" />
    </div>
  );
}
