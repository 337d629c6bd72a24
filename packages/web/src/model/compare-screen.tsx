import { useTitle } from "../app/title.ts";
import { Empty } from "../design/empty.tsx";

export function CompareScreen() {
  useTitle("Compare models");
  return (
    <div class="stack">
      <h1>Compare models</h1>
      <Empty title="Not here yet" />
    </div>
  );
}
