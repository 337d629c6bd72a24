// Where notes are kept: this browser's localStorage, under one name. What cannot be read is put aside, not written over.
import { NOTHING, type Notes } from "./notes.ts";
import { printNotes, readNotes } from "./notes-file.ts";

const PLACE = "nearkin.ratings";
const ASIDE = "nearkin.ratings.aside";

/** What of the browser's storage is needed. */
export type Storage = Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">;

/** What was found, beside the notes. */
export type Found =
  | { readonly kind: "fine" }
  /** Some entries could not be read; the text as it was is aside. */
  | { readonly kind: "partly"; readonly left: number }
  /** Nothing could be read; it is aside. */
  | { readonly kind: "aside"; readonly reason: string }
  /** Not all could be read, and there is no room to put it aside: nothing is written over it. */
  | { readonly kind: "stuck" }
  /** The browser refuses storage: notes last until the page is left. */
  | { readonly kind: "refused" };

export function loadNotes(storage: Storage): { notes: Notes; found: Found } {
  try {
    const text = storage.getItem(PLACE);
    if (text === null) return { notes: NOTHING, found: { kind: "fine" } };
    const read = readNotes(text);
    if (read.state === "read" && read.left === 0) return { notes: read.notes, found: { kind: "fine" } };
    if (!putAside(storage, text))
      return { notes: read.state === "read" ? read.notes : NOTHING, found: { kind: "stuck" } };
    if (read.state === "read") return { notes: read.notes, found: { kind: "partly", left: read.left } };
    const reason = read.state === "later" ? `a later version of this page wrote it (${read.version})` : read.reason;
    return { notes: NOTHING, found: { kind: "aside", reason } };
  } catch {
    return { notes: NOTHING, found: { kind: "refused" } };
  }
}

function putAside(storage: Storage, text: string): boolean {
  try {
    storage.setItem(ASIDE, text);
    return true;
  } catch {
    return false;
  }
}

/** False where the browser refuses: no room, or no storage at all. */
export function storeNotes(storage: Storage, notes: Notes): boolean {
  try {
    const isEmpty = notes.ratings.length === 0 && notes.skipped.length === 0 && notes.saved === null;
    if (isEmpty) storage.removeItem(PLACE);
    else storage.setItem(PLACE, printNotes(notes));
    return true;
  } catch {
    return false;
  }
}

/** What was put aside, to be given to its owner; null where nothing was. */
export function asideText(storage: Storage): string | null {
  try {
    return storage.getItem(ASIDE);
  } catch {
    return null;
  }
}

export function dropAside(storage: Storage): void {
  try {
    storage.removeItem(ASIDE);
  } catch {
    // nothing is there
  }
}

/** Whether a change of storage, in another tab, is one of notes. */
export const isOfNotes = (key: string | null): boolean => key === PLACE || key === null;
