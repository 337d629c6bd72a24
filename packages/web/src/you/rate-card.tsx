import { query, setQuery } from "../app/router.ts";
import { itemPath } from "../app/routes.ts";
import { Button } from "../design/button.tsx";
import { type Choice, Combobox } from "../design/combobox.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { Stars } from "../design/stars.tsx";
import type { ItemDetails } from "../engine/similarity.ts";
import { describeItem, inOneLine } from "../explore/describe.ts";
import { askAboutAll, rateItem, skipItem, unrateItem } from "./deeds.ts";
import { askedAll, asking } from "./learning.ts";
import { ownItem } from "./own-items.ts";
import { ownModel } from "./own-model.ts";
import { starsSpoken } from "./words.ts";
import { notes } from "./you-state.ts";
import "./rate-card.css";

const PROPOSED = 8; // items

async function find(text: string): Promise<readonly Choice[]> {
  const model = ownModel.peek();
  if (text.trim() === "" || model.state !== "ready") return [];
  const items = await model.calls.search(text, PROPOSED);
  return items.map((item) => ({ id: item.id, name: item.title ?? item.id, note: inOneLine(item) }));
}

/** One item to rate: the one that was searched for, or the most telling question. */
export function RateCard() {
  const chosen = query.value.get("item") || undefined;
  const shown = chosen ?? asking.value.shown;
  return (
    <section class="card rate" aria-labelledby="rate-title">
      <div class="rate-head">
        <h2 id="rate-title">{chosen ? "Rate this" : "Do you know this one?"}</h2>
        <Combobox
          label="Find something to rate"
          labelUnseen
          placeholder="Find something to rate"
          icon="explore"
          find={find}
          onChoose={({ id }) => setQuery({ item: id })}
        />
      </div>
      {shown ? <ItemToRate id={shown} isChosen={chosen !== undefined} /> : <NoQuestion />}
    </section>
  );
}

function ItemToRate({ id, isChosen }: { id: string; isChosen: boolean }) {
  const item = ownItem(id).value;
  if (item === undefined) return <Skeleton height="13rem" />;
  if (item === null) {
    return (
      <div class="rate-item">
        <p>The catalogue has nothing called “{id}”, or no longer.</p>
        <div class="row">
          <Button onClick={() => setQuery({ item: null })}>Back to the questions</Button>
        </div>
      </div>
    );
  }
  const rated = notes.value.ratings.find((one) => one.item === id);
  return (
    <div class="rate-item">
      <About item={item} />
      <div class="rate-act">
        <Stars
          label={`Your rating of ${item.title ?? id}`}
          value={rated?.rating ?? 0}
          size="large"
          format={starsSpoken}
          onRate={(rating) => {
            rateItem(item, rating);
            if (isChosen) setQuery({ item: null });
          }}
        />
        <div class="row">
          {isChosen ? (
            <>
              {rated && <Button onClick={() => unrateItem(item)}>Take the rating back</Button>}
              <Button look="plain" onClick={() => setQuery({ item: null })}>
                Back to the questions
              </Button>
            </>
          ) : (
            <Button onClick={() => skipItem(item)}>Don’t know it</Button>
          )}
        </div>
      </div>
      <p class="soft small">
        {isChosen
          ? "Half stars count too. Arrows choose, Enter rates."
          : "Asked because your answer should tell most about your weights. Arrows choose, Enter rates."}
      </p>
    </div>
  );
}

function About({ item }: { item: ItemDetails }) {
  const { year, words, facts, texts } = describeItem(item);
  const [people] = facts;
  return (
    <div class="rate-about">
      <h3>
        <a href={itemPath(item.id)}>{item.title ?? item.id}</a>
        {year && <span class="rate-year"> {year}</span>}
      </h3>
      <p class="soft small">
        {[words.slice(0, 4).join(", "), people?.values.slice(0, 2).join(", ")].filter(Boolean).join(" · ")}
      </p>
      {texts[0] && <p class="rate-text">{texts[0].text}</p>}
    </div>
  );
}

function NoQuestion() {
  const { skipped } = notes.value;
  if (!askedAll.value) return <Skeleton height="13rem" />;
  return (
    <div class="rate-item">
      <p>There is nothing left to ask. Find something to rate by its title.</p>
      {skipped.length > 0 && (
        <div class="row">
          <Button onClick={askAboutAll}>Ask again about the {skipped.length} you passed over</Button>
        </div>
      )}
    </div>
  );
}
