import { useRef } from "preact/hooks";
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
  const item = shown === undefined ? undefined : ownItem(shown).value;
  // what was answered stays until the next one is there: nothing flickers, and who rates by keyboard keeps the focus
  const last = useRef<ItemDetails | undefined>(undefined);
  if (item) last.current = item;
  else if (item === null || askedAll.value) last.current = undefined;
  const held = item ?? last.current;
  return (
    <section class="card rate" aria-labelledby="rate-title" aria-busy={item === undefined && !askedAll.value}>
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
      {held ? (
        <ItemToRate item={held} isChosen={chosen !== undefined} />
      ) : item === null ? (
        <NotThere id={shown ?? ""} />
      ) : (
        <NoQuestion />
      )}
    </section>
  );
}

function ItemToRate({ item, isChosen }: { item: ItemDetails; isChosen: boolean }) {
  const { id, title } = item;
  const rated = notes.value.ratings.find((one) => one.item === id);
  return (
    <div class="rate-item">
      <About item={item} />
      <div class="rate-act">
        <Stars
          label={`Your rating of ${title ?? id}`}
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
        {isChosen ? "Half stars count too." : "Asked because your answer should tell most about your weights."}{" "}
        <span class="rate-keys">Arrows choose, Enter rates.</span>
      </p>
    </div>
  );
}

function NotThere({ id }: { id: string }) {
  return (
    <div class="rate-item">
      <p>The catalogue has nothing called “{id}”, or no longer.</p>
      <div class="row">
        <Button onClick={() => setQuery({ item: null })}>Back to the questions</Button>
      </div>
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
