import { useState } from "preact/hooks";
import { Button } from "../design/button.tsx";
import { Chip } from "../design/chip.tsx";
import { activeModel, isForeseen } from "../engine/active-model.ts";
import type { ItemDetails } from "../engine/similarity.ts";
import { describeItem } from "./describe.ts";
import "./item-head.css";

const FOLDED = 6; // values of a list that are seen at first

/** What an item is, by the fields that its model keeps. */
export function ItemHead({ item }: { item: ItemDetails }) {
  const { year, words, facts, texts } = describeItem(item);
  const simulated = activeModel.value?.dataset?.simulated ?? false;
  const unknown = item.missing.filter((channel) => !isForeseen(channel));
  return (
    <header class="item-head">
      <h1>
        {item.title ?? item.id}
        {year && <span class="item-year"> {year}</span>}
      </h1>
      {words.length > 0 && (
        <ul class="row">
          {words.map((word) => (
            <li key={word}>
              <Chip>{word}</Chip>
            </li>
          ))}
        </ul>
      )}
      {texts.map(({ name, text }) => (
        <p key={name} class="item-text">
          {text}
        </p>
      ))}
      <dl class="item-facts small">
        {facts.map(({ name, values }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Values values={values} />
            </dd>
          </div>
        ))}
        <div>
          <dt>Ratings</dt>
          <dd class="figures">
            {item.ratings}
            {simulated && ", simulated"}
          </dd>
        </div>
      </dl>
      <p class="small">
        <a href={`/studio?from=${encodeURIComponent(item.id)}`}>Change it in Studio</a>
      </p>
      {unknown.length > 0 && (
        <p class="small soft">
          <Chip tone="caution">Not known</Chip> {unknown.join(", ")}: an average stands in.
        </p>
      )}
      {item.missing.some(isForeseen) && (
        <p class="small soft">
          <Chip>New</Chip> Nobody met it in training: who would is foreseen from its content.
        </p>
      )}
    </header>
  );
}

function Values({ values }: { values: readonly string[] }) {
  const [open, setOpen] = useState(false);
  const seen = open ? values : values.slice(0, FOLDED);
  return (
    <>
      {seen.join(", ")}
      {seen.length < values.length && (
        <Button look="plain" onClick={() => setOpen(true)}>
          and {values.length - seen.length} more
        </Button>
      )}
    </>
  );
}
