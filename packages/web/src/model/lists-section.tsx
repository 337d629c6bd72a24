// The items whose lists differ most between two models, computed in the browser.
import type { ModelInfo } from "@nearkin/client";
import { useState } from "preact/hooks";
import { type Problem, problemOf } from "../api/problem.ts";
import { itemPath } from "../app/routes.ts";
import { Button } from "../design/button.tsx";
import { count, percent } from "../design/numbers.ts";
import { ProblemView } from "../design/problem.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { Table } from "../design/table.tsx";
import { compareLists, type ListsDifference } from "./lists.ts";
import { isSmall, listsOf } from "./open-lists.ts";

const SHOWN = 8; // items
const NAMED = 4; // of each list

type State =
  | { readonly name: "asked for" | "working" }
  | { readonly name: "done"; readonly found: ListsDifference | undefined }
  | { readonly name: "failed"; readonly problem: Problem };

export function ListsSection({ a, b }: { a: ModelInfo; b: ModelInfo }) {
  const [state, setState] = useState<State>({ name: "asked for" });
  const compare = async () => {
    setState({ name: "working" });
    try {
      const [first, second] = await Promise.all([a, b].map(({ id }) => listsOf(id ?? "")));
      setState({ name: "done", found: compareLists(first, second, SHOWN) });
    } catch (error) {
      setState({ name: "failed", problem: problemOf(error) });
    }
  };
  return (
    <section class="stack" aria-labelledby="lists">
      <h2 id="lists">Where their lists differ</h2>
      {isSmall(a) && isSmall(b) ? (
        <div class="stack" aria-live="polite" aria-busy={state.name === "working"}>
          <Lists state={state} a={a} b={b} onCompare={compare} />
        </div>
      ) : (
        <p>
          These models are too large to compare item by item in a page. On the command line,{" "}
          <code>
            nearkin compare {a.folder} {b.folder}
          </code>{" "}
          says what would change.
        </p>
      )}
    </section>
  );
}

interface ListsProps {
  state: State;
  a: ModelInfo;
  b: ModelInfo;
  onCompare: () => void;
}

function Lists({ state, a, b, onCompare }: ListsProps) {
  switch (state.name) {
    case "asked for":
      return (
        <div class="row">
          <Button onClick={onCompare}>Compare the lists of all items</Button>
          <span class="soft small">Both models are downloaded, and asked in this browser.</span>
        </div>
      );
    case "working":
      return <Skeleton height="12rem" />;
    case "failed":
      return <ProblemView problem={state.problem} onRetry={onCompare} />;
    case "done":
      return state.found ? (
        <Found found={state.found} a={a} b={b} />
      ) : (
        <p>They have no item in common: there are no lists to compare.</p>
      );
  }
}

function Found({ found, a, b }: { found: ListsDifference; a: ModelInfo; b: ModelInfo }) {
  return (
    <>
      <p>
        Of the first ten neighbours {percent(found.overlap)} stay, over {count(found.items)} items;{" "}
        {percent(found.sameFirst)} of the items keep their first one.
      </p>
      <Table
        caption="Items whose lists differ most"
        columns={[
          { title: "Item", cell: ({ id, title }) => <a href={itemPath(id)}>{title}</a> },
          { title: "Stay", numeric: true, cell: ({ overlap }) => percent(overlap) },
          { title: `Nearest in ${a.folder}`, cell: ({ a: list }) => list.slice(0, NAMED).join(", ") },
          { title: `Nearest in ${b.folder}`, cell: ({ b: list }) => list.slice(0, NAMED).join(", ") },
        ]}
        rows={found.most}
        keyOf={({ id }) => id}
      />
    </>
  );
}
