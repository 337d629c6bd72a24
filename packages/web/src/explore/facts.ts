// Items as people see them: asked once of whoever answers, and kept.
import type { ReadonlySignal } from "@preact/signals";
import { type Loaded, loaded } from "../api/loaded.ts";
import { similarity } from "../engine/engine.ts";
import type { ItemDetails } from "../engine/similarity.ts";

/** The name of the question in what was loaded. */
export const itemQuestion = (id: string): string => `item ${id}`;

export const itemFacts = (id: string): ReadonlySignal<Loaded<ItemDetails>> =>
  loaded(itemQuestion(id), () => similarity.peek().item(id));
