import { Button } from "../design/button.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { activeModel } from "../engine/active-model.ts";
import { whyServer } from "../engine/engine.ts";
import { moveOf, orderOf } from "./explanation.ts";
import type { LiveList } from "./live-list.ts";
import { NeighbourCard, Swatch } from "./neighbour-card.tsx";
import { FEW, MOST } from "./tuning.ts";
import { useMovement } from "./use-movement.ts";
import "./neighbours.css";

interface NeighboursProps {
  list: LiveList | undefined;
  /** Ranks in the list that all share; undefined where this is that list. */
  before: ReadonlyMap<string, number> | undefined;
  /** What the address has chosen. */
  search: string;
  onMore: () => void;
}

/** The list, with its legend and a word on where it was computed. */
export function Neighbours({ list, before, search, onMore }: NeighboursProps) {
  const items = list?.items ?? [];
  const element = useMovement<HTMLOListElement>(items.map(({ id }) => id));
  const full = Math.max(...items.map(({ distance }) => distance), 0);
  return (
    <section class="neighbours" aria-labelledby="neighbours-title" aria-busy={list === undefined}>
      <div class="neighbours-head">
        <h2 id="neighbours-title">Nearest</h2>
        <p class="soft small">{orderOf(list?.question ?? { popularity: 0, diversity: 0 })}</p>
        <p class="soft small neighbours-how">
          Each bar is a distance: the shorter, the more similar. Its colours are what makes it.
        </p>
        <Legend />
      </div>
      <ol ref={element} id="neighbours-list" class="neighbours-list">
        {items.map((item) => (
          <NeighbourCard
            key={item.id}
            item={item}
            full={full}
            diversity={list?.question.diversity ?? 0}
            move={before && moveOf(item.rank, before.get(item.id))}
            search={search}
          />
        ))}
        {list === undefined &&
          Array.from({ length: FEW }, (_, i) => (
            <li key={i}>
              <Skeleton height="4.75rem" />
            </li>
          ))}
      </ol>
      {list && items.length === 0 && <p class="soft">The catalogue has no other item.</p>}
      {list && (
        <footer class="neighbours-foot">
          {items.length === list.question.k && items.length < MOST && <Button onClick={onMore}>Show more</Button>}
          <p class="soft small figures">{computed(list)}</p>
        </footer>
      )}
    </section>
  );
}

function computed({ place, milliseconds }: LiveList): string {
  const time = `${Math.max(1, Math.round(milliseconds))} ms`;
  if (place === "browser") return `Computed in your browser in ${time}.`;
  return `Computed by the server in ${time}${whyServer.value ? `: ${whyServer.value}` : ""}.`;
}

/** Which colour is which channel. */
export function Legend() {
  return (
    <p class="legend small soft">
      <span class="unseen">Channels:</span>
      {activeModel.value?.channels.map(({ name }) => (
        <span key={name}>
          <Swatch channel={name} />
          {name}
        </span>
      ))}
    </p>
  );
}
