import { useTitle } from "../app/title.ts";
import { Empty } from "../design/empty.tsx";

export function ModelScreen({ id }: { id: string }) {
  useTitle("Model");
  return (
    <div class="stack">
      <h1>Model {id.slice(0, 12)}</h1>
      <Empty title="Not here yet" />
    </div>
  );
}
