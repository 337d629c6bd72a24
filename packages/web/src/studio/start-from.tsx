import { type Choice, Combobox } from "../design/combobox.tsx";
import { ProblemView } from "../design/problem.tsx";
import { similarity } from "../engine/engine.ts";
import { inOneLine } from "../explore/describe.ts";
import type { Studio } from "./use-studio.ts";

const PROPOSED = 8; // items

async function find(text: string): Promise<readonly Choice[]> {
  if (text.trim() === "") return [];
  const items = await similarity.peek().search(text, PROPOSED);
  return items.map((item) => ({ id: item.id, name: item.title ?? item.id, note: inOneLine(item) }));
}

/** An item of the catalogue to begin with. */
export function StartFrom({ studio: { beginFrom, startProblem } }: { studio: Studio }) {
  return (
    <section class="start-from" aria-label="Start from an existing item">
      <Combobox
        label="Start from an existing item"
        placeholder="Search by title"
        icon="explore"
        find={find}
        onChoose={({ id }) => void beginFrom(id)}
      />
      {startProblem.value && <ProblemView problem={startProblem.value} />}
    </section>
  );
}
