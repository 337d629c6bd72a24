// What is asked of the server, as signals: on its way, there, or failed. Asked once, kept until the session changes or it is forgotten.
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type Problem, problemOf } from "./problem.ts";
import { sessionNumber } from "./session.ts";

export type Loaded<Value> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: Value }
  | { readonly state: "failed"; readonly problem: Problem };

interface Entry {
  readonly answer: Signal<Loaded<unknown>>;
  /** The session it was asked in. */
  session: number;
  load: () => Promise<unknown>;
}

const entries = new Map<string, Entry>();

/**
 * The answer to a question, by a name that is the same for the same question. Read its value while rendering: the component follows.
 *
 * @example
 * const models = loaded("models", () => client.models.list());
 * models.value // => { state: "loading" }
 */
export function loaded<Value>(name: string, load: () => Promise<Value>): ReadonlySignal<Loaded<Value>> {
  const session = sessionNumber.value;
  let entry = entries.get(name);
  if (!entry) {
    entry = { answer: signal<Loaded<unknown>>({ state: "loading" }), session, load };
    entries.set(name, entry);
    ask(entry);
  } else if (entry.session !== session) {
    entry.session = session;
    entry.load = load;
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
  const { session, answer, load } = entry;
  if (answer.peek().state === "failed") answer.value = { state: "loading" };
  load().then(
    (value) => {
      if (entry.session === session) answer.value = { state: "ready", value };
    },
    (error: unknown) => {
      if (entry.session === session) answer.value = { state: "failed", problem: problemOf(error) };
    },
  );
}
