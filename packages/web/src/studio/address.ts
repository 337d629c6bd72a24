// A draft in the address: one parameter for each value, named as the API names it. Texts too long for an address are kept in this tab, and
// the address holds their key.
import type { StudioDraft, Typed } from "./draft.ts";

const LONGEST = 1200; // characters of a text that an address takes
const PLACE = "nearkin.text.";
const PREFIX = "draft.";

/** Where long texts are kept: sessionStorage, which may refuse. */
export type TextStore = Pick<Storage, "getItem" | "setItem">;

/** `?title=…&draft.genres=Horror&draft.genres=Drama`; "" where nothing is typed. */
export function printDraft({ title, values, from }: StudioDraft, store: TextStore | undefined): string {
  const query = new URLSearchParams();
  if (title !== "") query.append("title", title);
  for (const [channel, typed] of Object.entries(values)) {
    const name = PREFIX + channel;
    if (typeof typed === "string") query.append(name, printText(typed, store));
    else for (const word of typed) query.append(name, word);
  }
  if (from !== undefined) query.append("from", from);
  const text = query.toString();
  return text && `?${text}`;
}

export interface ReadDraft {
  readonly draft: StudioDraft;
  /** Channels whose text was kept in another tab, and is not to be had here. */
  readonly lost: readonly string[];
  /** Whether the address names an item to begin from, and nothing else. */
  readonly onlyFrom: boolean;
}

/** The draft of an address. `lists` are the channels whose values are lists. */
export function readDraft(query: URLSearchParams, lists: ReadonlySet<string>, store: TextStore | undefined): ReadDraft {
  const values: Record<string, Typed> = {};
  const lost: string[] = [];
  for (const name of new Set(query.keys())) {
    if (!name.startsWith(PREFIX)) continue;
    const channel = name.slice(PREFIX.length);
    const given = query.getAll(name);
    if (lists.has(channel)) values[channel] = given;
    else {
      const text = readText(given[0], store);
      if (text === undefined) lost.push(channel);
      else values[channel] = text;
    }
  }
  const title = query.get("title") ?? "";
  const from = query.get("from") ?? undefined;
  const onlyFrom = from !== undefined && title === "" && Object.keys(values).length === 0 && lost.length === 0;
  return { draft: { title, values, from }, lost, onlyFrom };
}

/** A text that begins with @ would look like a key: it is doubled. */
function printText(text: string, store: TextStore | undefined): string {
  if (text.length > LONGEST && store) {
    const key = keyOf(text);
    try {
      store.setItem(PLACE + key, text);
      return `@${key}`;
    } catch {
      // full, or refused: the address is long then
    }
  }
  return text.startsWith("@") ? `@${text}` : text;
}

function readText(given: string, store: TextStore | undefined): string | undefined {
  if (!given.startsWith("@")) return given;
  if (given.startsWith("@@")) return given.slice(1);
  try {
    return store?.getItem(PLACE + given.slice(1)) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The same for the same text: FNV-1a from both ends. */
function keyOf(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(text.length - 1 - i), 0x01000193);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}
