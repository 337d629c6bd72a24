// The answers to a draft while it is typed. A pause asks; what is typed meanwhile stops the questions under way. What stands there stays until
// the next answer, so that nothing flickers.
import { batch, signal } from "@preact/signals";
import { type Problem, problemOf } from "../api/problem.ts";
import type { DraftQuestions, NamedItem, Neighbours, Rating } from "./asked.ts";
import type { Cells } from "./draft.ts";
import { type Moves, movesBetween, placesOf } from "./moves.ts";
import { Remembered } from "./remembered.ts";

const SHOWN = 10; // neighbours
export const SOUGHT = 100; // items among which one that has moved is looked for
const WATCHED = 5; // neighbours whose movement each field explains

/** The draft as it might be: without a field, or with an edit undone. */
export interface Alternative {
  readonly kind: "without" | "undone";
  readonly channel: string;
  readonly cells: Cells;
}

export interface LiveQuestion {
  readonly cells: Cells;
  /** The version that it is compared with. */
  readonly before: Cells | undefined;
  readonly alternatives: readonly Alternative[];
  /** Who answers what is asked of a draft. */
  readonly by: (cells: Cells) => DraftQuestions;
}

export interface Effect extends Omit<Alternative, "cells"> {
  /** Undefined until the answer is there. */
  readonly moves: Moves | undefined;
}

export interface LiveAnswer extends Neighbours {
  readonly cells: Cells;
  readonly place: DraftQuestions["place"];
  /** Undefined until it is there; null where the model predicts none. */
  readonly rating: Rating | null | undefined;
  /** Places in the list of the version before; undefined where there is none, or not yet. */
  readonly before: ReadonlyMap<string, number> | undefined;
}

interface LiveOptions {
  /** Milliseconds without typing after which the draft is asked about. */
  pause: number;
  /** Takes errors that belong to a field, and says whether it has. */
  onRefusal: (error: unknown) => boolean;
}

export function createLive({ pause, onRefusal }: LiveOptions) {
  const answer = signal<LiveAnswer | undefined>(undefined);
  const effects = signal<readonly Effect[]>([]);
  const problem = signal<Problem | undefined>(undefined);
  /** Whether what stands there is of the draft as it is. */
  const busy = signal(false);
  const remembered = new Remembered();
  let under = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: LiveQuestion | undefined;

  function put(question: LiveQuestion): void {
    stop();
    last = question;
    if (Object.keys(question.cells).length === 0) clear();
    else {
      busy.value = true;
      timer = setTimeout(() => void work(question, under.signal), pause);
    }
  }

  async function work(question: LiveQuestion, signal: AbortSignal): Promise<void> {
    try {
      const found = await list(question, signal);
      await Promise.all([predict(question, signal), compare(question, signal)]);
      await explore(question, found, signal);
    } catch (error) {
      if (signal.aborted) return;
      batch(() => {
        problem.value = onRefusal(error) ? undefined : problemOf(error);
        busy.value = false;
      });
    }
  }

  async function list({ cells, by }: LiveQuestion, signal: AbortSignal): Promise<readonly NamedItem[]> {
    const { place, neighbours } = by(cells);
    const found = await remembered.of(["neighbours", place, cells], () => neighbours(cells, SHOWN, signal));
    signal.throwIfAborted();
    const { before, rating } = answer.peek() ?? {};
    batch(() => {
      answer.value = { ...found, cells, place, rating, before };
      problem.value = undefined;
      busy.value = false;
    });
    return found.items;
  }

  async function predict({ cells, by }: LiveQuestion, signal: AbortSignal): Promise<void> {
    const { place, rating: ask } = by(cells);
    const rating = await remembered.of(["rating", place, cells], () => ask(cells, signal));
    signal.throwIfAborted();
    if (answer.value) answer.value = { ...answer.value, rating };
  }

  async function compare({ before, by }: LiveQuestion, signal: AbortSignal): Promise<void> {
    const places = before && Object.keys(before).length > 0 ? placesOf(await order(before, by, signal)) : undefined;
    signal.throwIfAborted();
    if (answer.value) answer.value = { ...answer.value, before: places };
  }

  /** One after the other, so that typing on has little to stop. */
  async function explore(
    { alternatives, by }: LiveQuestion,
    now: readonly NamedItem[],
    signal: AbortSignal,
  ): Promise<void> {
    const old = effects.peek();
    effects.value = alternatives.map(({ kind, channel }) => ({
      kind,
      channel,
      moves: old.find((effect) => effect.kind === kind && effect.channel === channel)?.moves,
    }));
    for (const [i, { cells }] of alternatives.entries()) {
      const then = Object.keys(cells).length > 0 ? await order(cells, by, signal) : [];
      signal.throwIfAborted();
      effects.value = effects.value.with(i, { ...effects.value[i], moves: movesBetween(now, then, WATCHED) });
    }
  }

  function order(cells: Cells, by: LiveQuestion["by"], signal: AbortSignal): Promise<readonly NamedItem[]> {
    const { place, order: ask } = by(cells);
    return remembered.of(["order", place, cells], () => ask(cells, SOUGHT, signal));
  }

  function stop(): void {
    clearTimeout(timer);
    under.abort();
    under = new AbortController();
  }

  function clear(): void {
    batch(() => {
      answer.value = undefined;
      effects.value = [];
      problem.value = undefined;
      busy.value = false;
    });
  }

  /** Asks the same again: after a failure, or when the catalogue has changed. */
  function again(): void {
    remembered.clear();
    if (last) put(last);
  }

  return { answer, effects, problem, busy, put, again, stop };
}
