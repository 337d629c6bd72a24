import { useTitle } from "../app/title.ts";
import { Empty } from "../design/empty.tsx";

export function YouScreen() {
  useTitle("You");
  return (
    <div class="stack">
      <h1>You</h1>
      <Empty title="Not here yet" />
    </div>
  );
}
