// Items as the model on this device knows them: what one looks at here is nobody else's business.
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { WorkerCalls } from "../engine/messages.ts";
import type { ItemDetails } from "../engine/similarity.ts";
import { ownModel } from "./own-model.ts";

/** `null`: the catalogue does not have it. */
type Known = ItemDetails | null | undefined;

const kept = new WeakMap<WorkerCalls, Map<string, Signal<Known>>>();
const nothing = signal<Known>(undefined);

/** Undefined until it is there. */
export function ownItem(id: string): ReadonlySignal<Known> {
  const model = ownModel.value;
  if (model.state !== "ready") return nothing;
  const { calls } = model;
  const items = kept.get(calls) ?? new Map<string, Signal<Known>>();
  kept.set(calls, items);
  const before = items.get(id);
  if (before) return before;
  const item = signal<Known>(undefined);
  items.set(id, item);
  calls.item(id).then(
    (details) => {
      item.value = details;
    },
    () => {
      item.value = null;
    },
  );
  return item;
}
