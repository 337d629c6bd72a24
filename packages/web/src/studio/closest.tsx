import { useState } from "preact/hooks";
import { tokenUser } from "../api/session.ts";
import { Button } from "../design/button.tsx";
import { Chip } from "../design/chip.tsx";
import { listed } from "../design/numbers.ts";
import { whyServer } from "../engine/engine.ts";
import { moveOf } from "../explore/explanation.ts";
import { NeighbourCard } from "../explore/neighbour-card.tsx";
import { Legend } from "../explore/neighbours.tsx";
import { useMovement } from "../explore/use-movement.ts";
import type { LiveAnswer } from "./live.ts";
import type { Studio } from "./use-studio.ts";
import { changed } from "./versions.ts";

const FEW = 5; // neighbours that are shown at first

/** The closest items with their reasons, and how they moved since the version before. */
export function Closest({ studio, answer }: { studio: Studio; answer: LiveAnswer }) {
  const { items, missing, before, place } = answer;
  const [all, setAll] = useState(false);
  const seen = all ? items : items.slice(0, FEW);
  const list = useMovement<HTMLOListElement>(seen.map(({ id }) => id));
  const full = Math.max(...items.map(({ distance }) => distance), 0);
  const unknown = missing.map(({ channel }) => channel);
  return (
    <section class="closest" aria-labelledby="closest">
      <header class="closest-head">
        <h2 id="closest">Closest items</h2>
        <Chip title={place === "browser" ? "The model in this page has answered" : whyPlace(whyServer.value)}>
          {place === "browser" ? "computed here" : "asked of the server"}
        </Chip>
      </header>
      <Comparison studio={studio} />
      <Legend />
      {tokenUser.value !== undefined && (
        <p class="soft small">By the metric of {tokenUser.value}, whose token you are signed in with.</p>
      )}
      {unknown.length > 0 && (
        <p class="soft small">Not known of it: {listed(unknown)}. An average stands in, hatched in the bars.</p>
      )}
      <ol ref={list} class="closest-list">
        {seen.map((item) => (
          <NeighbourCard
            key={item.id}
            item={item}
            full={full}
            diversity={0}
            move={before && moveOf(item.rank, before.get(item.id))}
            search=""
            said={unknown}
          />
        ))}
      </ol>
      {items.length > FEW && (
        <div class="row">
          <Button aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? "Show fewer" : `Show ${items.length}`}
          </Button>
        </div>
      )}
    </section>
  );
}

const whyPlace = (reason: string | undefined): string =>
  reason === undefined ? "The server has the encoder that reads texts" : `The server has answered: ${reason}`;

/** What the arrows are measured against, and the ways back and on. */
function Comparison({ studio }: { studio: Studio }) {
  const { versions, form } = studio;
  const channels = changed(versions.value);
  const labels = form.fields.filter(({ channel }) => channels.includes(channel)).map(({ channel }) => `the ${channel}`);
  return (
    <div class="comparison row small">
      {versions.value.before === undefined ? (
        <span class="soft">Change a field, and arrows show what moved.</span>
      ) : labels.length === 0 ? (
        <span class="soft">Arrows show what moves from here on.</span>
      ) : (
        <>
          <span>
            Arrows: since you changed <b>{listed(labels)}</b>
          </span>
          <Button look="plain" onClick={studio.undo}>
            Undo
          </Button>
          <Button look="plain" onClick={studio.pin}>
            Compare from here
          </Button>
        </>
      )}
    </div>
  );
}
