// What is asked of the server, as signals: on its way, there, or failed. Asked once, and again when another session or model may answer
// otherwise. What stands there stays until the new answer comes, but for another viewer.
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type Problem, problemOf } from "./problem.ts";
import { sessionNumber, viewer } from "./session.ts";

export type Loaded<Value> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: Value }
  | { readonly state: "failed"; readonly problem: Problem };

interface Entry {
  readonly answer: Signal<Loaded<unknown>>;
  /** The session and the model it was asked in. */
  asked: string;
  viewer: string;
  /** Questions so far: an answer to an earlier one is dropped. */
  questions: number;
  load: () => Promise<unknown>;
}

const entries = new Map<string, Entry>();

const modelNumber = signal(0);

/** Questions without an answer yet; the shell shows it as `data-loading`, for whoever waits until a screen is complete. */
export const loading = signal(0);

/** Another model answers now. */
export function askAnew(): void {
  modelNumber.value++;
}

/**
 * The answer to a question, by a name that is the same for the same question. Read its value while rendering: the component follows.
 *
 * @example
 * const models = loaded("models", () => client.models.list());
 * models.value // => { state: "loading" }
 */
export function loaded<Value>(name: string, load: () => Promise<Value>): ReadonlySignal<Loaded<Value>> {
  const asked = `${sessionNumber.value} ${modelNumber.value}`;
  let entry = entries.get(name);
  if (!entry) {
    entry = {
      answer: signal<Loaded<unknown>>({ state: "loading" }),
      asked,
      viewer: viewer.value,
      questions: 0,
      load,
    };
    entries.set(name, entry);
    ask(entry);
  } else if (entry.asked !== asked) {
    if (entry.viewer !== viewer.value) entry.answer.value = { state: "loading" };
    Object.assign(entry, { asked, viewer: viewer.value, load });
    ask(entry);
  }
  return entry.answer as Signal<Loaded<Value>>;
}

/** Asks again; what is there stays until the new answer comes, a failure does not. */
export function reload(name: string): void {
  const entry = entries.get(name);
  if (entry) ask(entry);
}

function ask(entry: Entry): void {
  const { answer, load } = entry;
  const own = ++entry.questions;
  if (answer.peek().state === "failed") answer.value = { state: "loading" };
  loading.value = loading.peek() + 1;
  const done = (state: Loaded<unknown>) => {
    if (entry.questions === own) answer.value = state;
    loading.value = loading.peek() - 1;
  };
  load().then(
    (value) => done({ state: "ready", value }),
    (error: unknown) => done({ state: "failed", problem: problemOf(error) }),
  );
}
