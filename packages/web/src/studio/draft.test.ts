import { expect, test } from "vitest";
import { cellsOf, contentOf, draftOf, type StudioDraft, withValue } from "./draft.ts";
import { examplesFor, mixOf } from "./examples.ts";
import { films } from "./testing/films.ts";

const draft: StudioDraft = {
  title: " Cold Berth ",
  values: { plot: " Someone wakes. ", genres: ["Drama", "War"], year: "2031", place: "52.5, 13.4" },
};

test("what is typed becomes what the API takes; what is empty is left out", () => {
  expect(cellsOf(films, { ...draft, values: { ...draft.values, director: [], release: "  " } })).toEqual({
    plot: "Someone wakes.",
    genres: ["Drama", "War"],
    year: 2031,
    place: { latitude: 52.5, longitude: 13.4 },
  });
});

test.each([
  ["year", "about 2031"],
  ["place", "Berlin"],
])("what cannot be read goes as it was typed, for the answer to say so: %s %j", (channel, typed) => {
  expect(cellsOf(films, withValue(draft, channel, typed))[channel]).toBe(typed);
});

test("an item to put has the catalogue's fields under their own names", () => {
  const director = withValue(draft, "director", ["Ann"]);
  expect(contentOf(films, director)).toEqual({
    title: "Cold Berth",
    channels: { ...cellsOf(films, draft), director: ["Ann"] },
    fields: { plot: "Someone wakes.", genres: ["Drama", "War"], year: 2031, directors: ["Ann"] },
  });
  expect(contentOf(films, { ...draft, title: " " })).not.toHaveProperty("title");
});

const alien = {
  id: "alien",
  title: "Alien",
  ratings: 9,
  fields: { title: "Alien", plot: "A crew.", genres: ["Horror"], directors: "Ridley Scott", year: 1979, rental: true },
};
const amelie = {
  ...alien,
  id: "amelie",
  title: "Amélie",
  fields: { ...alien.fields, plot: "A waitress.", genres: ["Romance"], year: null },
};

test("an item becomes a draft, by the fields that its channels were read from", () => {
  expect(draftOf(films, alien)).toEqual({
    title: "Alien",
    from: "alien",
    values: { plot: "A crew.", genres: ["Horror"], director: ["Ridley Scott"], year: "1979" },
  });
});

test("a mix has the words of one item, and the rest of the other", () => {
  expect(mixOf(films, alien, amelie)).toEqual({
    title: "Amélie × Alien",
    values: { plot: "A waitress.", genres: ["Horror"], director: ["Ridley Scott"] },
  });
});

test("examples are offered where the model can read most of them, without what it cannot", () => {
  const [first, second] = examplesFor(films);
  expect(Object.keys(first.values)).toEqual(["plot", "genres", "year"]);
  expect(Object.keys(second.values)).not.toContain("country");
  expect(examplesFor({ ...films, fields: films.fields.slice(0, 1) })).toEqual([]);
});

test("a channel may be called as objects' own properties are", () => {
  const form = { ...films, fields: [{ ...films.fields[0], channel: "constructor" }] };
  expect(cellsOf(form, draft)).toEqual({});
});
