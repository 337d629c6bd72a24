// From ratings to what is shown: the metric first, then what follows from it. A later rating overtakes what is still to be asked for an
// earlier one.
import { effect, signal } from "@preact/signals";
import { type Problem, problemOf } from "../api/problem.ts";
import type { WorkerCalls } from "../engine/messages.ts";
import type { GivenRating, Influence, Learned, SuggestedItem } from "../engine/personal-calls.ts";
import type { Notes } from "./notes.ts";
import { ownModel } from "./own-model.ts";
import { type Asking, answered, NOT_ASKED, passed, withQueue } from "./questions.ts";
import { sharesOf } from "./shares.ts";
import { standingOf, tellApart, updateSaid } from "./words.ts";
import { notes, say } from "./you-state.ts";

const SUGGESTED = 12; // items
const ASKED = 6; // questions at hand

/** What was learned, and how long it took from the rating. */
export interface Outcome extends Learned {
  readonly milliseconds: number;
}

export const learned = signal<Outcome | undefined>(undefined);
/** Undefined until they are there; empty where ratings do not tell items apart. */
export const suggestions = signal<readonly SuggestedItem[] | undefined>(undefined);
/** By item. */
export const influences = signal<ReadonlyMap<string, Influence>>(new Map());
export const asking = signal<Asking>(NOT_ASKED);
/** Whether everything was asked that can be. */
export const askedAll = signal(false);
export const learningProblem = signal<Problem | undefined>(undefined);

let asked = 0;
let before: { calls: WorkerCalls; notes: Notes } | undefined;

/** Learns whenever a rating or the model changes. Gives what ends that. */
export function keepLearning(): () => void {
  return effect(() => {
    const model = ownModel.value;
    const now = notes.value;
    if (model.state !== "ready") return;
    const { calls } = model;
    const isNew = before?.calls !== calls;
    if (isNew) asking.value = NOT_ASKED;
    const rated = before?.notes.ratings !== now.ratings;
    const skipped = before?.notes.skipped !== now.skipped;
    if (before && skipped) asking.value = now.skipped.reduce(passed, asking.peek());
    if (before && rated) asking.value = now.ratings.reduce((at, { item }) => answered(at, item), asking.peek());
    before = { calls, notes: now };
    if (isNew || rated) void learn(calls, now);
    else if (skipped) void askNext(calls, now, ++asked);
  });
}

/** Tries again after a failure. */
export function learnAgain(): void {
  if (before) void learn(before.calls, before.notes);
}

async function learn(calls: WorkerCalls, now: Notes): Promise<void> {
  const own = ++asked;
  const started = performance.now();
  const given: GivenRating[] = now.ratings.map(({ item, rating }) => ({ item, rating }));
  try {
    const found = await calls.learn(given);
    if (own !== asked) return;
    const last = learned.peek();
    learned.value = { ...found, milliseconds: performance.now() - started };
    if (last)
      say(found.metric.kept === null ? updateSaid(sharesOf(last), sharesOf(found)) : `${standingOf(found).title}.`);
    learningProblem.value = undefined;

    const known = given.filter(({ item }) => !found.unknown.includes(item));
    const suggested = found.predicts && tellApart(known) ? await calls.suggestions(given, SUGGESTED) : [];
    if (own !== asked) return;
    suggestions.value = suggested;

    const did = found.metric.kept === null ? await calls.influences(given) : [];
    if (own !== asked) return;
    influences.value = new Map(did.map((one) => [one.item, one]));

    await askNext(calls, now, own);
  } catch (error) {
    if (own === asked) learningProblem.value = problemOf(error);
  }
}

async function askNext(calls: WorkerCalls, { ratings, skipped }: Notes, own: number): Promise<void> {
  const given = ratings.map(({ item, rating }) => ({ item, rating }));
  const queue = await calls.questions(given, { skipped, k: ASKED });
  if (own !== asked) return;
  asking.value = withQueue(asking.peek(), queue);
  askedAll.value = queue.length === 0;
}
