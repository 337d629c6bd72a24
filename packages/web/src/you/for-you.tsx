import { query, setQuery } from "../app/router.ts";
import { itemPath } from "../app/routes.ts";
import { Bar } from "../design/bar.tsx";
import { Button } from "../design/button.tsx";
import { Choice } from "../design/choice.tsx";
import { Empty } from "../design/empty.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import type { OwnNeighbour, SuggestedItem } from "../engine/personal-calls.ts";
import { inOneLine } from "../explore/describe.ts";
import { type Move, moveOf, segmentsOf, spoken } from "../explore/explanation.ts";
import { MoveBadge } from "../explore/neighbour-card.tsx";
import { useMovement } from "../explore/use-movement.ts";
import { useOwnList } from "./because-list.ts";
import { learned, suggestions } from "./learning.ts";
import { ownItem } from "./own-items.ts";
import { seedOf } from "./seeds.ts";
import { usePrevious } from "./use-previous.ts";
import { becauseOf, stars, tellApart } from "./words.ts";
import { notes } from "./you-state.ts";
import "./for-you.css";

/** What the user may like, in two ways: by what they may rate it, and by what is near to something they rated. */
export function ForYou() {
  const { ratings } = notes.value;
  const unknown = learned.value?.unknown ?? [];
  const known = ratings.filter(({ item }) => !unknown.includes(item));
  const predicts = learned.value?.predicts ?? true;
  const seed = seedOf(known, query.value.get("because"));
  const asked = query.value.get("by");
  const isByStars = predicts && (asked === "stars" || (asked !== "near" && tellApart(known)));
  return (
    <section class="for-you" aria-labelledby="for-you-title">
      <div class="for-you-head">
        <h2 id="for-you-title">For you</h2>
        {predicts && known.length > 0 && (
          <Choice
            label="Suggested by"
            quiet
            value={isByStars ? "stars" : "near"}
            options={[
              { value: "stars", label: "What you may rate best" },
              { value: "near", label: "Because you rated …" },
            ]}
            onChange={(by) => setQuery({ by })}
          />
        )}
      </div>
      {known.length === 0 || !seed ? (
        <Empty title="Nothing to go by yet">
          <p>Rate something, and what lies near it for you will stand here, with the reasons.</p>
        </Empty>
      ) : isByStars ? (
        <ByStars />
      ) : (
        <Because seed={seed.item} known={known} />
      )}
    </section>
  );
}

function ByStars() {
  const items = suggestions.value;
  const list = useMovement<HTMLOListElement>((items ?? []).map(({ id }) => id));
  const before = usePrevious(items);
  if (!items) return <Skeleton height="30rem" />;
  if (items.length === 0) {
    return (
      <Empty title="Your ratings do not tell yet what you like more">
        <p>It takes two that differ. Until then, look at what is near to one you rated.</p>
        <Button onClick={() => setQuery({ by: "near" })}>Because you rated …</Button>
      </Empty>
    );
  }
  const ranks = before && new Map(before.map(({ id }, i) => [id, i + 1]));
  return (
    <ol ref={list} class="for-you-list">
      {items.map((item, i) => (
        <Suggestion key={item.id} item={item} rank={i + 1} move={ranks && moveOf(i + 1, ranks.get(item.id))} />
      ))}
    </ol>
  );
}

function Suggestion({ item, rank, move }: { item: SuggestedItem; rank: number; move: Move | undefined }) {
  const { id, title, mean, deviation } = item;
  return (
    <li class="suggestion" data-id={id}>
      <Rank rank={rank} move={move} />
      <What id={id} title={title} />
      <p class="suggestion-why small">{becauseOf(item)}</p>
      <Predicted mean={mean} deviation={deviation} />
    </li>
  );
}

/** A rating to come: where it is expected on the scale, and one deviation each way. */
function Predicted({ mean, deviation }: { mean: number; deviation: number }) {
  const at = (rating: number) => String(Math.min(1, Math.max(0, rating / 5)));
  return (
    <div class="predicted" title="What you may rate it, and one standard deviation each way">
      <span class="figures">
        <b>{mean.toFixed(1)}</b> <span class="soft small">± {deviation.toFixed(1)}</span>
        <span class="unseen"> stars expected</span>
      </span>
      <span class="predicted-track" aria-hidden="true">
        <span class="predicted-range" style={{ "--from": at(mean - deviation), "--to": at(mean + deviation) }} />
        <span class="predicted-mean" style={{ "--at": at(mean) }} />
      </span>
    </div>
  );
}

function Because({
  seed,
  known,
}: {
  seed: string;
  known: readonly { item: string; title: string | null; rating: number }[];
}) {
  const items = useOwnList(seed);
  const list = useMovement<HTMLOListElement>((items ?? []).map(({ id }) => id));
  const full = Math.max(...(items ?? []).map(({ distance }) => distance), 0);
  const isOwn = learned.value?.metric.kept === null;
  return (
    <>
      <div class="because-head">
        <label class="row small">
          Because you rated
          <select
            class="input because-seed"
            value={seed}
            onChange={(event) => setQuery({ because: event.currentTarget.value, by: "near" })}
          >
            {known.toReversed().map(({ item, title, rating }) => (
              <option key={item} value={item}>
                {title ?? item} ({stars(rating)})
              </option>
            ))}
          </select>
        </label>
        <p class="soft small">
          {isOwn
            ? "Nearest by your own metric. Arrows show how far each stands from its place in everybody’s list."
            : "Nearest by the metric that everybody shares: yours is not learned yet."}
        </p>
      </div>
      {items ? (
        <ol ref={list} class="for-you-list">
          {items.map((item) => (
            <Near key={item.id} item={item} full={full} isOwn={isOwn} />
          ))}
        </ol>
      ) : (
        <Skeleton height="30rem" />
      )}
    </>
  );
}

function Near({ item, full, isOwn }: { item: OwnNeighbour; full: number; isOwn: boolean }) {
  const { id, title, rank, sharedRank, contributions } = item;
  return (
    <li class="suggestion" data-id={id}>
      <Rank rank={rank} move={isOwn ? moveOf(rank, sharedRank) : undefined} />
      <What id={id} title={title} />
      <p class="suggestion-why small">Nearest in {nearestIn(item)}</p>
      <div class="suggestion-bar" title={spoken(item)}>
        <Bar segments={segmentsOf(contributions)} full={full} />
        <span class="unseen">{spoken(item)}</span>
      </div>
    </li>
  );
}

/** The two channels in which two items differ least, for what these count. */
function nearestIn({ contributions }: OwnNeighbour): string {
  return contributions
    .filter(({ unknown, weight }) => unknown === null && weight > 0)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 2)
    .map(({ channel }) => channel)
    .join(" and ");
}

function Rank({ rank, move }: { rank: number; move: Move | undefined }) {
  return (
    <div class="suggestion-rank">
      <span class="figures">{rank}</span>
      {move && <MoveBadge move={move} />}
    </div>
  );
}

function What({ id, title }: { id: string; title: string | null }) {
  const facts = ownItem(id).value;
  return (
    <div class="suggestion-what">
      <h3>
        <a class="few-lines" href={itemPath(id)}>
          {title ?? id}
        </a>
      </h3>
      <p class="soft small">{facts ? inOneLine(facts) : " "}</p>
    </div>
  );
}
