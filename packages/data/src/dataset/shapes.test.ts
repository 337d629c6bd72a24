// Shapes of fields follow from the configuration of the channels that read them.
import { readNumber, splitList } from "@nearkin/core";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../config/parse.ts";
import type { ConfigInput } from "../config/schema.ts";
import { fieldShapes } from "./shapes.ts";

type Channels = NonNullable<ConfigInput["channels"]>;

function shapesOf(
  channels: Channels,
  columns: Record<string, readonly (string | null)[]>,
  title: string | null = null,
) {
  const config = parseConfig({ interactions: { files: "ratings.csv" }, items: { files: "items.csv" }, channels });
  const manifest = {
    config: JSON.parse(JSON.stringify(config)), // as dataset.json has it
    columns: {
      interactions: { user: "user", item: "item", rating: null, time: null },
      items: { item: "item", title, fields: Object.keys(columns) },
    },
  };
  return Object.fromEntries(fieldShapes(manifest, new Map(Object.entries(columns))));
}

describe("fieldShapes", () => {
  test("every type of channel, with its rules", () => {
    const shapes = shapesOf(
      {
        genres: { type: "categories", column: "genres", missing: ["(no genres listed)"] },
        path: { type: "categories", column: "category", separator: " > " },
        kind: { type: "categories", column: "kind", separator: null },
        price: { type: "number", column: "price", thousands: ",", log: true },
        weight: { type: "number", column: "weight", decimal: "," },
        released: { type: "date", column: "released" },
        plot: { type: "text", column: "overview" },
        place: { type: "geo", latitude: "lat", longitude: "lon" },
        poster: { type: "vector", column: "poster" },
        identity: { type: "identity" },
        flags: { type: "categories", flags: ["isNew"] },
      },
      {
        genres: ["Action|Comedy"],
        category: ["Outdoor > Tents"],
        kind: ["film"],
        price: ["1,299.00"],
        weight: ["1,5"],
        released: ["1999-03-31"],
        overview: ["A sailor returns."],
        lat: ["52.5"],
        lon: ["13.4"],
        poster: ["[1, 2, 3]"],
        isNew: ["1"],
        rank: ["17"],
      },
    );
    expect(shapes).toEqual({
      genres: { type: "list", separator: "|", missing: ["(no genres listed)"], channel: "genres" },
      category: { type: "list", separator: " > ", channel: "path" },
      kind: { type: "list", separator: null, channel: "kind" },
      price: { type: "number", thousands: ",", channel: "price" },
      weight: { type: "number", decimal: ",", channel: "weight" },
      released: { type: "date", channel: "released" },
      overview: { type: "text", channel: "plot" },
      lat: { type: "number", channel: "place" },
      lon: { type: "number", channel: "place" },
      poster: { type: "text" },
      isNew: { type: "number" },
      rank: { type: "number" },
    });
    expect(readNumber("1,299.00", shapes.price)).toBe(1299);
    expect(splitList("Outdoor > Tents", shapes.category)).toEqual(["Outdoor", "Tents"]);
  });

  test("a part of a column goes by the name of its channel; a title stays a text", () => {
    const year = { type: "number", column: "title", pattern: String.raw`\((\d{4})\)` } as const;
    const title = { type: "text", column: "title" } as const;
    const shapes = shapesOf({ year, title }, { title: ["Heat (1995)"] }, "title");
    expect(shapes).toEqual({
      title: { type: "text", channel: "title" },
      year: { type: "number", column: "title", pattern: String.raw`\((\d{4})\)`, channel: "year" },
    });
    expect(readNumber("Heat (1995)", shapes.year)).toBe(1995);
    expect(shapesOf({ year }, { title: ["Heat (1995)"], year: ["3"] }, "title")).toEqual({
      title: { type: "text" },
      year: { type: "number" }, // there is such a column
    });
  });

  test("a column that two channels read is the first one's; the other goes by its own name", () => {
    const shapes = shapesOf(
      {
        tags: { type: "categories", column: "keywords", separator: "," },
        about: { type: "text", column: "keywords" },
        letters: { type: "categories", column: "keywords", separator: "/" },
      },
      { keywords: ["sea, ship"] },
    );
    expect(shapes).toEqual({
      keywords: { type: "list", separator: ",", channel: "tags" },
      letters: { type: "list", separator: "/", column: "keywords", channel: "letters" },
    });
  });
});
