// Drafts to begin with. Those written here are films; one is offered where the model has channels for most of what it says. Any catalogue can mix
// two of its own items.
import type { ItemFacts } from "../engine/similarity.ts";
import { draftOf, type StudioDraft, type Typed, typedIn, withValue } from "./draft.ts";
import type { StudioForm } from "./form.ts";

const written: readonly StudioDraft[] = [
  {
    title: "Cold Berth",
    values: {
      plot: "The crew of a deep-space freighter wakes early and finds that something has come aboard and is hunting them one by one.",
      genres: ["Science Fiction", "Thriller"],
      year: "2031",
    },
  },
  {
    title: "The Second Violin",
    values: {
      plot: "Two musicians share a flat in Vienna for one winter, fall in love over a piece neither can play alone, and part in spring.",
      genres: ["Romance", "Drama"],
      country: ["France"],
      year: "1994",
    },
  },
  {
    title: "Dust and Honour",
    values: {
      plot: "A retired gunslinger rides back into a desert town to defend its farmers against the cattle baron he once worked for.",
      genres: ["Western", "Action"],
      country: ["Italy"],
      year: "1967",
    },
  },
];

/** Those of the written ones that this model can read most of, without what it has no channel for. */
export function examplesFor(form: StudioForm): StudioDraft[] {
  return written.flatMap((draft) => {
    const given = Object.keys(draft.values);
    const read = form.fields.filter(({ channel, kind }) => fits(typedIn(draft, channel), kind));
    if (read.length <= given.length / 2) return [];
    const values = Object.fromEntries(read.map(({ channel }) => [channel, typedIn(draft, channel) as Typed]));
    return [{ ...draft, values }];
  });
}

const fits = (typed: Typed | undefined, kind: string): boolean =>
  typed !== undefined && (typeof typed === "string") === (kind !== "list");

/** The lists of one item, and all else of another. */
export function mixOf(form: StudioForm, lists: ItemFacts, rest: ItemFacts): StudioDraft {
  const [a, b] = [draftOf(form, lists), draftOf(form, rest)];
  let draft: StudioDraft = { title: `${b.title} × ${a.title}`, values: {} };
  for (const { channel, kind } of form.fields) {
    draft = withValue(draft, channel, typedIn(kind === "list" ? a : b, channel));
  }
  return draft;
}
