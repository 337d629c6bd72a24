import type { ItemId, ModelCatalogue, ModelParts } from "@nearkin/core";
import { parseConfig } from "@nearkin/data";
import { expect, test } from "vitest";
import { itemColumns } from "./item-columns.ts";

type Channels = ModelParts["channels"];
const channel = (name: string, type: string) => ({ name, transform: { type } }) as unknown as Channels[number];
const channels = [
  channel("genres", "categories"),
  channel("year", "number"),
  channel("place", "geo"),
  channel("taste", "surrogate"),
  channel("self", "identity"),
];

const cells = (...values: (string | null)[]) => values;
const catalogue = (fields: Record<string, (string | null)[]>, shapes?: Record<string, object>): ModelCatalogue =>
  ({
    ids: ["a", "b"] as ItemId[],
    titles: ["Ay", null],
    described: Uint8Array.of(1, 1),
    fields: new Map(Object.entries(fields)),
    ...(shapes ? { shapes: new Map(Object.entries(shapes)) } : {}),
  }) as ModelCatalogue;

test("the model says what its channels are read from", () => {
  const fields = Object.fromEntries(
    ["Name", "kinds", "happy", "sad", "price", "north", "east", "cast"].map((name) => [name, cells("x", "y")]),
  );
  const known = itemColumns({
    channels: [...channels, channel("price", "number"), channel("mood", "vector")],
    catalogue: catalogue(
      { ...fields, Name: cells("Ay", null) },
      {
        Name: { type: "text" },
        year: { type: "number", column: "Name", channel: "year", pattern: "\\((\\d{4})\\)" }, // stands in the title
        kinds: { type: "list", channel: "genres", separator: ";", missing: ["?"] },
        price: { type: "number", channel: "price", decimal: ",", thousands: "." },
        north: { type: "number", channel: "place" },
        east: { type: "number", channel: "place" },
        cast: { type: "list", separator: ", " },
        happy: { type: "number" },
        sad: { type: "number" },
      },
    ),
  });
  expect(known).toMatchObject({ id: "item_id", title: "Name", guessed: new Set(["mood"]) });
  expect(Object.fromEntries(known.channels)).toEqual({
    genres: { type: "categories", column: "kinds", separator: ";", missing: ["?"] },
    year: { type: "number", column: "Name", pattern: "\\((\\d{4})\\)", missing: [], decimal: "." },
    price: { type: "number", column: "price", missing: [], decimal: ",", thousands: "." },
    place: { type: "geo", latitude: "north", longitude: "east" },
    mood: { type: "vector", column: "mood" },
  });
  expect(Object.fromEntries(known.separators)).toEqual({ kinds: ";", cast: ", " });
});

test("a model that does not say has columns named like its channels", () => {
  const known = itemColumns({ channels, catalogue: catalogue({ genres: cells("x", "y") }) });
  expect(known).toMatchObject({ id: "item_id", title: "title", guessed: new Set(["genres", "year", "place"]) });
  expect(Object.fromEntries(known.channels)).toEqual({
    genres: { type: "categories", column: "genres", separator: "|", missing: [] },
    year: { type: "number", column: "year", missing: [], decimal: "." },
    place: { type: "geo", latitude: "place_latitude", longitude: "place_longitude" },
  });
});

test("nearkin.yaml goes before both; two columns of ids are refused", () => {
  const config = parseConfig({
    interactions: { files: "x.csv" },
    items: { files: "y.csv", columns: { item: "sku" } },
    channels: { year: { type: "number", column: "when", decimal: "," } },
  });
  const known = itemColumns({ channels, catalogue: catalogue({ label: cells("Ay", null) }) }, config);
  expect(known).toMatchObject({ id: "sku", title: "label", guessed: new Set() });
  expect([...known.channels.keys()]).toEqual(["year"]);
  expect(known.channels.get("year")).toMatchObject({ column: "when", decimal: "," });
  expect(() => itemColumns({ channels, catalogue: catalogue({ item_id: cells("1", "2") }) })).toThrow(
    /the column item_id would be there twice/,
  );
});
