import { useTitle } from "../app/title.ts";
import { Empty } from "../design/empty.tsx";

export function StudioScreen() {
  useTitle("Studio");
  return (
    <div class="stack">
      <h1>Studio</h1>
      <Empty title="Not here yet" />
    </div>
  );
}
