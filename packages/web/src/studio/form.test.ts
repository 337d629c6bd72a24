// The form of a model, against what core really stores of its transforms.
import type { ModelInfo } from "@nearkin/client";
import { encodeTransform, fitCategories, fitDate, fitGeo, fitNumber } from "@nearkin/core";
import { expect, test } from "vitest";
import { formOf } from "./form.ts";

const channel = (name: string, type: ModelInfo["channels"][number]["type"]) => ({ name, type, weight: 1 });

const model = {
  channels: [
    channel("year", "number"),
    channel("genres", "categories"),
    channel("plot", "text"),
    channel("blurb", "text"),
    channel("director", "categories"),
    channel("price", "number"),
    channel("release_date", "date"),
    channel("place", "geo"),
    channel("cover", "vector"),
    channel("own", "identity"),
    channel("taste", "surrogate"),
  ],
  fields: ["title", "year", "genres", "plot", "directors"],
};

const manifest = {
  fields: { directors: { type: "list", channel: "director" }, title: { type: "text" } },
  channels: [
    { name: "year", transform: encodeTransform(fitNumber([1920, 1999, 2023])).json },
    { name: "genres", transform: encodeTransform(fitCategories([["Drama", "War"], ["Drama"], ["Comedy"]])).json },
    { name: "plot", transform: { type: "text", encoder: { kind: "external", name: "minilm", dimensions: 384 } } },
    { name: "blurb", transform: { type: "text", encoder: { kind: "lsa" } } },
    { name: "price", transform: encodeTransform(fitNumber([0, 10, 999], { log: true })).json },
    { name: "release_date", transform: encodeTransform(fitDate([0, 10_681])).json },
    { name: "place", transform: encodeTransform(fitGeo([{ latitude: 52, longitude: 13 }])).json },
  ],
};

test("every channel that can be typed is a field, with what training had; texts first, then words, then figures", () => {
  expect(formOf(model, manifest)).toMatchInlineSnapshot(`
    {
      "fields": [
        {
          "channel": "plot",
          "encoded": true,
          "field": "plot",
          "kind": "text",
          "label": "Plot",
        },
        {
          "channel": "blurb",
          "encoded": false,
          "field": undefined,
          "kind": "text",
          "label": "Blurb",
        },
        {
          "channel": "genres",
          "field": "genres",
          "kind": "list",
          "label": "Genres",
          "terms": [
            "Drama",
            "Comedy",
            "War",
          ],
        },
        {
          "channel": "director",
          "field": "directors",
          "kind": "list",
          "label": "Director",
          "terms": [],
        },
        {
          "channel": "year",
          "field": "year",
          "kind": "number",
          "label": "Year",
          "range": [
            "1920",
            "2023",
          ],
        },
        {
          "channel": "price",
          "field": undefined,
          "kind": "number",
          "label": "Price",
          "range": [
            "0",
            "999",
          ],
        },
        {
          "channel": "release_date",
          "field": undefined,
          "kind": "date",
          "label": "Release date",
          "range": [
            "1970-01-01",
            "1999-03-31",
          ],
        },
        {
          "channel": "place",
          "field": undefined,
          "kind": "place",
          "label": "Place",
        },
      ],
      "following": [
        "taste",
      ],
      "untypable": [
        "cover",
        "own",
      ],
    }
  `);
});

test("without model.json it is plainer, and complete", () => {
  const { fields } = formOf(model, null);
  expect(fields.map(({ channel, kind, field }) => [channel, kind, field])).toEqual([
    ["plot", "text", "plot"],
    ["blurb", "text", undefined],
    ["genres", "list", "genres"],
    ["director", "list", undefined],
    ["year", "number", "year"],
    ["price", "number", undefined],
    ["release_date", "date", undefined],
    ["place", "place", undefined],
  ]);
  expect(fields.every((field) => field.kind !== "text" || field.encoded)).toBe(true); // to be on the safe side
  expect(fields.every((field) => !("range" in field) || field.range === undefined)).toBe(true);
});
