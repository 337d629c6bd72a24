import { useState } from "preact/hooks";
import { itemPath } from "../app/routes.ts";
import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { Stars } from "../design/stars.tsx";
import { Swatch } from "../explore/neighbour-card.tsx";
import { rateItem, unrateItem } from "./deeds.ts";
import { influences, learned } from "./learning.ts";
import type { Rated } from "./notes.ts";
import { effectsOf, points, starsSpoken } from "./words.ts";
import { notes } from "./you-state.ts";
import "./ratings-list.css";

const SEEN = 12; // ratings at first
const EFFECTS = 3; // channels of one rating

/** Every rating, the last first, with what it did to the weights. */
export function RatingsList() {
  const { ratings } = notes.value;
  const [all, setAll] = useState(false);
  if (ratings.length === 0) return null;
  const last = ratings.toReversed();
  const seen = all ? last : last.slice(0, SEEN);
  return (
    <section class="ratings" aria-labelledby="ratings-title">
      <div>
        <h2 id="ratings-title">What you rated</h2>
        <p class="soft small">
          Beside each, what it did: how many percentage points a channel gained or lost because of it.
        </p>
      </div>
      <ul class="ratings-items">
        {seen.map((rated) => (
          <OneRating key={rated.item} rated={rated} />
        ))}
      </ul>
      {seen.length < last.length && (
        <div>
          <Button onClick={() => setAll(true)}>Show all {last.length}</Button>
        </div>
      )}
    </section>
  );
}

function OneRating({ rated }: { rated: Rated }) {
  const { item, title, rating } = rated;
  const isGone = learned.value?.unknown.includes(item) ?? false;
  const name = title ?? item;
  return (
    <li class="ratings-item">
      <p class="ratings-name">
        {isGone ? (
          name
        ) : (
          <a class="few-lines" href={itemPath(item)}>
            {name}
          </a>
        )}
      </p>
      <Stars
        label={`Your rating of ${name}`}
        value={rating}
        format={starsSpoken}
        onRate={(next) => rateItem({ id: item, title }, next)}
      />
      <Button
        look="plain"
        class="ratings-remove"
        aria-label={`Take back the rating of ${name}`}
        title="Take the rating back"
        onClick={() => unrateItem({ id: item, title })}
      >
        <Icon name="close" />
      </Button>
      <div class="ratings-did small">
        {isGone ? (
          <span class="ratings-gone">Not in the catalogue now: kept, but does not count</span>
        ) : (
          <Did item={item} />
        )}
      </div>
    </li>
  );
}

function Did({ item }: { item: string }) {
  const known = learned.value;
  const influence = influences.value.get(item);
  if (!known || known.metric.kept !== null) return <span class="soft">Nothing yet</span>;
  if (!influence) {
    const counts = notes.value.ratings.filter((one) => !known.unknown.includes(one.item)).slice(-known.most);
    const isOld = !counts.some((one) => one.item === item);
    return <span class="soft">{isOld ? `Older than the last ${known.most}: counts for suggestions alone` : "…"}</span>;
  }
  const effects = effectsOf(influence, known.metric.weights).slice(0, EFFECTS);
  if (effects.length === 0) return <span class="soft">Changed next to nothing</span>;
  return (
    <>
      {effects.map(({ channel, change }) => (
        <span key={channel} class="ratings-effect">
          <Swatch channel={channel} />
          {channel} <b class="figures">{points(change)}</b>
        </span>
      ))}
    </>
  );
}
