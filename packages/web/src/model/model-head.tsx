import type { ModelInfo } from "@nearkin/client";
import { Chip } from "../design/chip.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { count, plural } from "../design/numbers.ts";
import { shortId } from "./models.ts";

/** Whether it answers, was the one before, or cannot be served. */
export function ModelStanding({ model, previous }: { model: ModelInfo; previous: string | null }) {
  return (
    <>
      {model.active && <Chip tone="accent">Active</Chip>}
      {!model.active && model.id !== null && model.id === previous && <Chip>Before</Chip>}
      {model.problems.length > 0 && <Chip tone="caution">Cannot be served</Chip>}
      {model.dataset?.simulated && <Chip title="Its users and ratings are made up">Simulated ratings</Chip>}
    </>
  );
}

/** Its data and size in a line. */
export function ModelLine({ model }: { model: ModelInfo }) {
  const parts = [
    model.dataset && `Trained on ${model.dataset.name}`,
    model.items !== null && `${count(model.items)} items`,
    model.channels.length > 0 && plural(model.channels.length, "channel"),
  ].filter(Boolean);
  return <p class="soft">{parts.join(" · ")}</p>;
}

/** The beginning of the id; the whole of it can be copied. */
export function ModelId({ id }: { id: string }) {
  return (
    <span class="model-id">
      <code title={id}>{shortId(id)}</code>
      <CopyButton text={id} label="Copy the whole id" />
    </span>
  );
}
