import { loaded, reload } from "../api/loaded.ts";
import { itemPath } from "../app/routes.ts";
import { useTitle } from "../app/title.ts";
import { ProblemView } from "../design/problem.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { activeModel } from "../engine/active-model.ts";
import { engineProblem, openEngine, similarity, whyServer } from "../engine/engine.ts";
import type { ClosePair, ItemFacts, Shelves } from "../engine/similarity.ts";
import { inOneLine } from "./describe.ts";
import { shown } from "./explanation.ts";
import { ItemSearch } from "./item-search.tsx";
import "./explore-screen.css";

/** Where one begins: a search, and some items to begin with. */
export function ExploreScreen() {
  useTitle("Explore");
  const by = similarity.value;
  const question = `shelves ${by.place}`;
  const decided = by.place === "browser" || whyServer.value !== undefined; // else one shelf would soon replace the other
  const shelves = decided ? loaded(question, () => by.shelves()).value : undefined;
  const problem = engineProblem.value ?? (shelves?.state === "failed" ? shelves.problem : undefined);
  const known = shelves?.state === "ready" ? shelves.value : undefined;
  return (
    <div class="explore">
      <header class="explore-head">
        <h1>What is similar, to whom, and why</h1>
        <p class="explore-lead soft">
          Choose an item. See what lies near it, what makes the distance, and how the order changes through someone
          else’s eyes.
        </p>
        <ItemSearch large />
      </header>
      {problem ? (
        <ProblemView
          problem={problem}
          onRetry={() => {
            void openEngine();
            reload(question);
          }}
        />
      ) : (
        <>
          <Pairs pairs={known?.pairs} />
          <Shelf shelves={known} />
        </>
      )}
    </div>
  );
}

const TILES = 18; // that a shelf has, as a rule

function Shelf({ shelves }: { shelves: Shelves | undefined }) {
  return (
    <section class="shelf" aria-labelledby="shelf-title" aria-busy={shelves === undefined}>
      <h2 id="shelf-title">{shelves?.order === "first" ? "From the catalogue" : "Most rated"}</h2>
      <ul class="shelf-items">
        {shelves?.items.map((item) => (
          <li key={item.id}>
            <ItemTile item={item} />
          </li>
        ))}
        {shelves === undefined &&
          Array.from({ length: TILES }, (_, i) => (
            <li key={i} class="tile">
              <Skeleton lines={2} />
            </li>
          ))}
      </ul>
    </section>
  );
}

/** Items that lie closest together, joined by lines as long as their distance. */
function Pairs({ pairs }: { pairs: readonly ClosePair[] | undefined }) {
  if (pairs?.length === 0) return null; // nobody has looked for them
  const farthest = Math.max(...(pairs ?? []).map(({ distance }) => distance), Number.MIN_VALUE);
  return (
    <section class="kin" aria-labelledby="kin-title" aria-busy={pairs === undefined}>
      <h2 id="kin-title">Next of kin</h2>
      <p class="soft small">The closest pairs there are. Two random items are about {typicalDistance()} apart.</p>
      {pairs ? (
        <ul class="kin-pairs">
          {pairs.map((pair) => (
            <li key={pair.items[0].id}>
              <Pair pair={pair} part={pair.distance / farthest} />
            </li>
          ))}
        </ul>
      ) : (
        <Skeleton height="21rem" />
      )}
    </section>
  );
}

/** Σ h: every channel's distance is 1 for a typical random pair. */
function typicalDistance(): string {
  const channels = activeModel.value?.channels ?? [];
  return channels.reduce((sum, { weight }) => sum + weight, 0).toFixed(1);
}

function ItemTile({ item }: { item: ItemFacts }) {
  return (
    <a class="tile" href={itemPath(item.id)}>
      <span class="tile-title few-lines">{item.title ?? item.id}</span>
      <span class="soft small">{inOneLine(item)}</span>
    </a>
  );
}

function Pair({ pair: { items, distance }, part }: { pair: ClosePair; part: number }) {
  const [one, other] = items;
  return (
    <>
      <a class="tile-title few-lines" href={itemPath(one.id)}>
        {one.title ?? one.id}
      </a>
      <span class="kin-distance">
        <span class="kin-line" style={{ "--part": String(part) }} aria-hidden="true" />
        <span class="figures soft small">
          {shown(distance)}
          <span class="unseen"> from</span>
        </span>
      </span>
      <a class="tile-title few-lines" href={itemPath(other.id)}>
        {other.title ?? other.id}
      </a>
    </>
  );
}
