// A draft and the version it is compared with. Edits of one field are one step: typing a word does not make a version of every letter.
import { type StudioDraft, type Typed, typedIn, withValue } from "./draft.ts";

export interface Versions {
  readonly now: StudioDraft;
  /** What it is compared with; undefined where it has only begun. */
  readonly before: StudioDraft | undefined;
  /** The channel that was edited last. */
  readonly edited: string | undefined;
}

/** A draft to begin with, compared with nothing. */
export const begin = (now: StudioDraft): Versions => ({ now, before: undefined, edited: undefined });

/** Another value of a field. The first edit of another field than before makes a version. */
export function edit(versions: Versions, channel: string, typed: Typed): Versions {
  const { now, before, edited } = versions;
  const next = withValue(now, channel, typed);
  if (same(typedIn(now, channel), typedIn(next, channel))) return versions;
  return { now: next, before: edited === channel ? before : now, edited: channel };
}

/** Another title: no distance depends on it, so that it makes no version. */
export const entitle = ({ now, ...rest }: Versions, title: string): Versions => ({ ...rest, now: { ...now, title } });

/** From here on, comparisons are with what stands here now. */
export const pin = ({ now }: Versions): Versions => ({ now, before: now, edited: undefined });

/** Takes back all edits since the version that it is compared with. */
export const undo = (versions: Versions): Versions =>
  versions.before === undefined ? versions : begin({ ...versions.before, title: versions.now.title });

/** Channels whose values differ from the version before. */
export function changed({ now, before }: Versions): string[] {
  if (before === undefined) return [];
  const channels = new Set([...Object.keys(before.values), ...Object.keys(now.values)]);
  return [...channels].filter((channel) => !same(typedIn(now, channel), typedIn(before, channel)));
}

const same = (a: Typed | undefined, b: Typed | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
