// The notes of this browser as a signal: every change is stored at once, and the last one can be undone.
import { signal } from "@preact/signals";
import type { Notes } from "./notes.ts";
import { printNotes } from "./notes-file.ts";
import { type Found, isOfNotes, loadNotes, type Storage, storeNotes } from "./notes-store.ts";

/** Read when it is used: a browser may refuse as soon as it is touched. */
export const storage: Storage = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, text) => localStorage.setItem(key, text),
  removeItem: (key) => localStorage.removeItem(key),
};

const first = loadNotes(storage);

export const notes = signal<Notes>(first.notes);

/** What was wrong with what was stored. */
export const found = signal<Found>(first.found);

/** The last change, and what was before it. */
export interface Done {
  /** "Rated Alien 4½." */
  readonly said: string;
  readonly before: Notes;
  /** What followed from it. */
  readonly effect?: string;
}

export const done = signal<Done | undefined>(undefined);

/** Read aloud when it changes. */
export const said = signal("");

let deed = ""; // what was done, until what followed from it is said too

/** Says what followed from what was done just now. */
export function say(words: string): void {
  const last = done.peek();
  if (deed !== "" && last) done.value = { ...last, effect: words };
  said.value = `${deed} ${words}`.trim();
  deed = "";
}

/** Changes the notes; what changes nothing is nothing to undo. */
export function change(next: Notes, words: string): void {
  const before = notes.peek();
  if (next === before) return;
  put(next);
  done.value = { said: words, before };
  deed = words;
  said.value = words;
}

export function undo(): void {
  const last = done.peek();
  if (!last) return;
  put(last.before);
  done.value = undefined;
  deed = "Undone.";
  said.value = deed;
}

/** Changes what is no deed of the user's, such as what the server has. */
export function put(next: Notes): void {
  notes.value = next;
  if (found.peek().kind === "stuck") return;
  if (!storeNotes(storage, next)) found.value = { kind: "refused" };
  else if (found.peek().kind === "refused") found.value = { kind: "fine" }; // there is room again
}

/** Follows what other tabs change, and have changed while nobody followed. */
export function followTabs(): () => void {
  const read = () => {
    if (found.peek().kind === "refused" || found.peek().kind === "stuck") return; // what is here is stored nowhere
    const { notes: stored } = loadNotes(storage);
    if (printNotes(stored) === printNotes(notes.peek())) return;
    notes.value = stored;
    done.value = undefined; // it would undo what the other tab did
  };
  const listen = ({ key }: StorageEvent) => {
    if (isOfNotes(key)) read();
  };
  read();
  addEventListener("storage", listen);
  return () => removeEventListener("storage", listen);
}
