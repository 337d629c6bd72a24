import { useTitle } from "../app/title.ts";
import { Empty } from "../design/empty.tsx";

export function EvaluationScreen() {
  useTitle("Evaluation");
  return (
    <div class="stack">
      <h1>Evaluation</h1>
      <Empty title="Not here yet" />
    </div>
  );
}
