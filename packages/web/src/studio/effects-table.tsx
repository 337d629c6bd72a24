import { itemPath } from "../app/routes.ts";
import { Skeleton } from "../design/skeleton.tsx";
import { Table } from "../design/table.tsx";
import { Swatch } from "../explore/neighbour-card.tsx";
import type { NamedItem } from "./asked.ts";
import { type Effect, SOUGHT } from "./live.ts";
import type { Movement, Moves } from "./moves.ts";
import type { Studio } from "./use-studio.ts";

const MOVES = 3; // that a row shows

/** What every field does: where the first items would stand without it, or with its edit undone. */
export function EffectsTable({ studio }: { studio: Studio }) {
  const effects = studio.live.effects.value;
  return (
    <section class="effects" aria-labelledby="effects">
      <h2 id="effects">What each field does</h2>
      <p class="soft small">
        {effects.length === 0
          ? "Fill in a second field to see what each of them does."
          : "Where the first five would stand without it, or with your edit undone."}
      </p>
      {effects.length > 0 && (
        <Table
          caption="Where the first five would stand"
          quiet
          rows={effects}
          keyOf={({ kind, channel }) => `${kind} ${channel}`}
          columns={[
            { title: "If", cell: (effect) => <Condition effect={effect} /> },
            { title: "Then", cell: ({ moves }) => (moves ? <Moved moves={moves} /> : <Skeleton />) },
          ]}
        />
      )}
    </section>
  );
}

function Condition({ effect: { kind, channel } }: { effect: Effect }) {
  return (
    <span class="effect-condition">
      <Swatch channel={channel} />
      {kind === "without" ? `without the ${channel}` : `the ${channel} as before`}
    </span>
  );
}

function Moved({ moves: { moved, first } }: { moves: Moves }) {
  if (moved.length === 0) return <span class="soft">all five stay</span>;
  const rest = moved.length - MOVES;
  return (
    <span class="effect-moves">
      {moved.slice(0, MOVES).map((movement) => (
        <Move key={movement.item.id} movement={movement} />
      ))}
      {rest > 0 && <span class="soft">and {rest} more</span>}
      {first && <First item={first} />}
    </span>
  );
}

function Move({ movement: { item, from, to } }: { movement: Movement }) {
  return (
    <span>
      {item.title ?? item.id}{" "}
      <b class="figures">
        {from} <span aria-hidden="true">→</span>
        <span class="unseen">to</span> {to ?? `beyond ${SOUGHT}`}
      </b>
    </span>
  );
}

function First({ item: { id, title } }: { item: NamedItem }) {
  return (
    <span>
      First comes <a href={itemPath(id)}>{title ?? id}</a>
    </span>
  );
}
