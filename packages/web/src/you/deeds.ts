// What a user can do with an item here, each with the words that an undo shows.
import { askAgain, rate, skip, unrate } from "./notes.ts";
import { stars } from "./words.ts";
import { change, notes } from "./you-state.ts";

interface Named {
  readonly id: string;
  readonly title: string | null;
}

export const rateItem = ({ id, title }: Named, rating: number): void =>
  change(rate(notes.peek(), { item: id, title, rating }, Date.now()), `Rated ${title ?? id} ${stars(rating)}.`);

export const unrateItem = ({ id, title }: Named): void =>
  change(unrate(notes.peek(), id), `Took back the rating of ${title ?? id}.`);

export const skipItem = ({ id, title }: Named): void => change(skip(notes.peek(), id), `Passed over ${title ?? id}.`);

export const askAboutAll = (): void => change(askAgain(notes.peek()), "Everything may be asked again.");
