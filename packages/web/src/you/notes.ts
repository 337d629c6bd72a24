// What the page knows of the one who sits before it: ratings, and items that they have not met. Every change gives new notes; the old ones are
// what an undo goes back to.

export interface Rated {
  readonly item: string;
  /** As it was called then: an item may leave the catalogue. */
  readonly title: string | null;
  /** 0.5 to 5, in halves. */
  readonly rating: number;
  /** When it was first rated, in ms since 1970: the order of the list. */
  readonly time: number;
  /** When the rating was last changed. */
  readonly changed: number;
}

/** What the server was given, and may still have. */
export interface Saved {
  readonly user: string;
  /** When, in ms since 1970. */
  readonly time: number;
  /** Items that it has a rating of, each with `changed` of that rating. */
  readonly ratings: readonly (readonly [item: string, changed: number])[];
}

export interface Notes {
  /** The oldest first, each item once. */
  readonly ratings: readonly Rated[];
  /** Items that are not asked about again. */
  readonly skipped: readonly string[];
  readonly saved: Saved | null;
}

export const NOTHING: Notes = { ratings: [], skipped: [], saved: null };

const LEAST = 0.5;
const MOST = 5;

/** Half a star, up or down. */
export const isRating = (value: unknown): value is number =>
  typeof value === "number" && value >= LEAST && value <= MOST && Number.isInteger(2 * value);

interface Rating {
  readonly item: string;
  readonly title: string | null;
  readonly rating: number;
}

/** Another rating of the same item changes it in its place: it was met when it was first rated. */
export function rate(notes: Notes, { item, title, rating }: Rating, now: number): Notes {
  const before = notes.ratings.find((one) => one.item === item);
  if (before?.rating === rating) return notes;
  const rated: Rated = { item, title, rating, time: before?.time ?? now, changed: now };
  return {
    ...notes,
    ratings: before ? notes.ratings.map((one) => (one === before ? rated : one)) : inOrder([...notes.ratings, rated]),
    skipped: notes.skipped.filter((one) => one !== item),
  };
}

export function unrate(notes: Notes, item: string): Notes {
  const ratings = notes.ratings.filter((one) => one.item !== item);
  return ratings.length === notes.ratings.length ? notes : { ...notes, ratings };
}

/** "Haven't seen it." */
export function skip(notes: Notes, item: string): Notes {
  if (notes.skipped.includes(item) || notes.ratings.some((one) => one.item === item)) return notes;
  return { ...notes, skipped: [...notes.skipped, item] };
}

/** Asks about everything again. */
export const askAgain = (notes: Notes): Notes => ({ ...notes, skipped: [] });

/** Adds what a file holds; of an item that both have, the later rating counts. What the server has stays this device's own business. */
export function merge(notes: Notes, given: Pick<Notes, "ratings" | "skipped">): Notes {
  const ratings = new Map(notes.ratings.map((one) => [one.item, one]));
  for (const one of given.ratings) {
    const before = ratings.get(one.item);
    if (!before || before.changed < one.changed) ratings.set(one.item, one);
  }
  const skipped = new Set([...notes.skipped, ...given.skipped]);
  return {
    ratings: inOrder([...ratings.values()]),
    skipped: [...skipped].filter((item) => !ratings.has(item)),
    saved: notes.saved,
  };
}

/** What the server does not know yet. */
export interface Unsaved {
  /** Ratings that are new, or were changed. */
  readonly ratings: readonly Rated[];
  /** Items that it has a rating of, and the user has none any more. */
  readonly takenBack: readonly string[];
}

export function unsavedOf({ ratings, saved }: Notes): Unsaved {
  const there = new Map(saved?.ratings);
  const here = new Set(ratings.map(({ item }) => item));
  return {
    ratings: ratings.filter(({ item, changed }) => there.get(item) !== changed),
    takenBack: [...there.keys()].filter((item) => !here.has(item)),
  };
}

/** The server has all of it now. */
export const markSaved = (notes: Notes, user: string, now: number): Notes => ({
  ...notes,
  saved: { user, time: now, ratings: notes.ratings.map(({ item, changed }) => [item, changed]) },
});

/** The oldest first; of the same moment, as they came. */
const inOrder = (ratings: readonly Rated[]): Rated[] => ratings.toSorted((a, b) => a.time - b.time);
