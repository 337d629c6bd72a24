// Every screen of the page, each in a state that shows most of it.
import { inject } from "vitest";
import { demoClient } from "./lists.ts";

interface ScreenOfPage {
  readonly name: string;
  readonly path: string;
  /** What the browser has stored before, by name. */
  readonly stored?: Readonly<Record<string, string>>;
}

const draft = new URLSearchParams({
  title: "Cold Berth",
  "draft.plot": "The crew of a deep-space freighter wakes early and finds that something is hunting them one by one.",
  "draft.year": "2031",
  "draft.genres": "Science Fiction",
});

const RATED: readonly (readonly [item: string, title: string, rating: number])[] = [
  ["alien-1979", "Alien", 5],
  ["the-thing-1982", "The Thing", 4.5],
  ["spirited-away-2001", "Spirited Away", 2],
  ["the-godfather-1972", "The Godfather", 3],
  ["blade-runner-1982", "Blade Runner", 5],
];
const RATED_AT = Date.UTC(2026, 0, 2);

/** Ratings as the page stores them. */
const ratings = JSON.stringify({
  format: "nearkin-ratings",
  version: 1,
  ratings: RATED.map(([item, title, rating], i) => ({
    item,
    title,
    rating,
    time: RATED_AT + i,
    changed: RATED_AT + i,
  })),
  skipped: [],
  saved: null,
});

export const screenNames = [
  "explore",
  "item",
  "you",
  "you-rated",
  "studio",
  "studio-draft",
  "models",
  "model",
  "compare",
  "evaluation",
] as const;

/** All of them by name, with the ids of the demo's models. */
export async function allScreens(): Promise<Record<(typeof screenNames)[number], ScreenOfPage>> {
  const { models } = await demoClient().models.list();
  const [served, split] = ["model", "model-split"].map((name) => models.find(({ folder }) => folder === name)?.id);
  const paths: Record<(typeof screenNames)[number], Omit<ScreenOfPage, "name">> = {
    explore: { path: "/" },
    item: { path: "/items/alien-1979?weights=plot:0.4&diversity=0.2" },
    you: { path: "/you" },
    "you-rated": { path: "/you", stored: { "nearkin.ratings": ratings } },
    studio: { path: "/studio" },
    "studio-draft": { path: `/studio?${draft}` },
    models: { path: "/model" },
    model: { path: `/model/${served}` },
    compare: { path: `/model/compare?a=${served}&b=${split}` },
    evaluation: { path: "/evaluation" },
  };
  const named = Object.entries(paths).map(([name, screen]) => [name, { name, ...screen }]);
  return Object.fromEntries(named);
}

/** What a browser has stored, for a context of Playwright's. */
export const storageOf = ({ stored = {} }: ScreenOfPage) => ({
  cookies: [],
  origins: [
    {
      origin: inject("demo").url,
      localStorage: Object.entries(stored).map(([name, value]) => ({ name, value })),
    },
  ],
});
