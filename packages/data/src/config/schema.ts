// nearkin.yaml: what the user chose. One zod schema, unknown keys rejected, the type inferred from it. Everything here can change a
// result; what only changes speed (threads, memory) is a runtime option of `prepare` instead.
import { z } from "zod";

const columnName = z.string().min(1);

const source = z.strictObject({
  files: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)], "expected a file name, or a list of them"),
  /** By the file's ending when absent. */
  format: z.enum(["csv", "tsv", "jsonl", "parquet"]).optional(),
  /** One to four characters; "::" for MovieLens 1M. @default "," (csv), tab (tsv) */
  delimiter: z.string().min(1).max(4).optional(),
  /** "" when the file quotes nothing. @default '"' */
  quote: z.string().max(1).optional(),
  /** Names of the columns, for a file without a header line. */
  names: z.array(columnName).min(1).optional(),
  encoding: z.enum(["utf-8", "utf-16", "latin-1"]).default("utf-8"),
});

const interactions = source.extend({
  columns: z
    .strictObject({
      user: columnName.optional(),
      item: columnName.optional(),
      /** null: there are none, even if a column looks like it; every interaction counts 1. */
      rating: columnName.nullable().optional(),
      /** null: there are none; the order of the rows is the order in time. */
      time: columnName.nullable().optional(),
    })
    .default({}),
  /** Ratings outside are rejected. */
  ratingRange: z
    .tuple([z.number().min(-1e9), z.number().max(1e9)])
    .refine(isRange, "the first is above the second")
    .default([-1e9, 1e9]),
  /** auto: by size (seconds, ms, µs, ns) or ISO 8601, row by row. */
  timeUnit: z.enum(["auto", "s", "ms", "us", "ns", "iso"]).default("auto"),
});

const items = source.extend({
  columns: z.strictObject({ item: columnName.optional(), title: columnName.nullable().optional() }).default({}),
  /** Further columns to keep in the catalogue, for display and filters. */
  fields: z.array(columnName).default([]),
});

/** Takes a part of the cell: the first group of a regular expression. */
const pattern = z.string().refine(isPattern, "not a regular expression with one (group)").optional();

/** Texts of a cell that mean "not known", besides the empty one. */
const missing = z.array(z.string()).default([]);

const number = z.strictObject({
  type: z.literal("number"),
  column: columnName,
  pattern,
  missing,
  /** A sign between thousands that is passed over: "," for 1,299.00. */
  thousands: z.string().length(1).optional(),
  /** The sign before the fraction. @default "." */
  decimal: z.string().length(1).default("."),
  /** log(1 + x), for prices, counts, lengths. @default false */
  log: z.boolean().default(false),
});
const categories = z.strictObject({
  type: z.literal("categories"),
  /** A column of names … */
  column: columnName.optional(),
  /** … or columns that hold 1 where the item belongs to the category of that name. */
  flags: z.array(columnName).min(1).optional(),
  pattern,
  missing,
  /** null: one category per cell. JSON arrays need none. @default "|" */
  separator: z.string().min(1).nullable().default("|"),
  /** A category of fewer training items is left out of the vocabulary. @default 1 */
  minCount: z.int().min(1).default(1),
  maxTerms: z.int().min(1).default(5000),
});
const vector = z.strictObject({
  type: z.literal("vector"),
  /** A column of JSON arrays (or a Parquet list) … */
  column: columnName.optional(),
  /** … or a file of vectors: safetensors, npy, Parquet. */
  file: z.string().min(1).optional(),
  /** Which tensor or column of the file. */
  tensor: z.string().min(1).optional(),
  /** The tensor or column of ids in the file. */
  ids: z.string().min(1).optional(),
  /** The item column those ids are found in. @default the item id */
  key: columnName.optional(),
});
const text = z.strictObject({
  type: z.literal("text"),
  column: columnName,
  pattern,
  missing,
  /** minilm | lsa | hf:<model folder> | vectors:<file>[#tensor]. @default minilm, or lsa where its weights are not installed */
  encoder: z.string().min(1).optional(),
  /** Components kept by the PCA fitted on training items; null keeps all. @default 64 for a title, 96 otherwise */
  pca: z.int().min(1).nullable().optional(),
  /** With vectors:<file>, the tensor or column of ids in the file … */
  ids: z.string().min(1).optional(),
  /** … and the item column those ids are found in. @default the item id */
  key: columnName.optional(),
});
const date = z.strictObject({ type: z.literal("date"), column: columnName, pattern, missing });
const geo = z.strictObject({ type: z.literal("geo"), latitude: columnName, longitude: columnName });
const identity = z.strictObject({ type: z.literal("identity") });

const channel = z
  .discriminatedUnion("type", [number, categories, vector, text, date, geo, identity])
  .refine((c) => c.type !== "categories" || (c.column === undefined) !== (c.flags === undefined), {
    message: "categories need either a column or flags",
  })
  .refine((c) => c.type !== "number" || c.thousands !== c.decimal, {
    message: "thousands and decimal must be different signs",
  })
  .refine((c) => c.type !== "vector" || (c.column === undefined) !== (c.file === undefined), {
    message: "a vector channel needs either a column or a file",
  });

const fraction = z.number().gt(0).lt(0.5);

/** Whole shares that a catalogue has. */
export const foldsOf = (share: number): number => Math.floor(1 / share + 1e-9); // 1 / 0.1 and the like may come out short

const split = z
  .strictObject({
    by: z.enum(["none", "time", "random", "users"]).default("time"),
    /** Share of items held out for test, and again for validation (EV1–EV3). */
    fraction: fraction.default(0.05),
    /** Split random: which share of the random order is for test, counted from 1; the next, or the first after the last, is for validation. */
    fold: z.int().min(1).optional(),
    /** Test users, and as many validation users; at most a tenth of the eligible ones each (EV10). */
    users: z.int().min(1).default(200),
    /** Events a test user has, from … to. */
    userEvents: z
      .tuple([z.int().min(2), z.int()])
      .refine(isRange, "the first is above the second")
      .default([20, 199]),
    /** Share of a test user's events, the earliest, that the model may adapt to. */
    support: z.number().gt(0).lt(1).default(0.7),
  })
  .refine(({ by, fold }) => fold === undefined || by === "random", {
    path: ["fold"],
    message: "only a random split has folds",
  })
  .refine(({ fraction: share, fold = 1 }) => fold <= foldsOf(share), {
    path: ["fold"],
    error: ({ input }) => {
      const share = (input as { fraction: number }).fraction;
      return `there are ${foldsOf(share)} folds of ${share} of the items`;
    },
  })
  .prefault({});

export const configSchema = z.strictObject({
  /** Shown by `inspect` and in reports. */
  name: z.string().min(1).optional(),
  /** Users and ratings are made up: said wherever the data are shown. */
  simulated: z.boolean().default(false),
  interactions,
  items: items.optional(),
  channels: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]*$/i, "a channel's name is letters, digits, - and _"), channel)
    .default({}),
  seed: z.int().min(0).default(1),
  split,
  pairs: z
    .strictObject({
      /** κ: positives come from the next κ items of a history. */
      window: z.int().min(1).max(100).default(5),
      /** At most so many pairs of one user, spread evenly over the history. */
      perUser: z.int().min(1).default(1000),
      /** At most so many pairs in all (lowers perUser). */
      total: z.int().min(1).default(4_000_000),
    })
    .prefault({}),
  factors: z
    .strictObject({
      /** Surrogate factors; the first, popularity, is computed and dropped. 0 for none. */
      count: z.int().min(0).max(512).default(64),
      /** Passes of the randomised SVD over the data; more come closer to the exact factors. @default 2.5·(count + 1)/32, rounded up, at least 4 */
      passes: z.int().min(4).max(200).optional(),
    })
    .prefault({}),
  statistics: z
    .strictObject({
      /** The shrunk mean counts the global mean as so many ratings. */
      shrinkage: z.number().min(0).default(5),
    })
    .prefault({}),
  truth: z
    .strictObject({
      /** EV5: items kept per query. */
      neighbours: z.int().min(1).default(50),
      /** EV5: users both items need. */
      minCommonUsers: z.int().min(1).default(3),
      /** Query items at most, per role. */
      maxQueries: z.int().min(1).default(1000),
    })
    .prefault({}),
  /** What `nearkin train --config` reads; nothing here changes a dataset, and @nearkin/train checks it. */
  train: z.record(z.string(), z.unknown()).optional(),
  /** What `nearkin serve --config` reads; nothing here changes a dataset, and @nearkin/serve checks it. */
  serve: z.record(z.string(), z.unknown()).optional(),
  /** The share of unusable rows, per file group and channel, above which `prepare` stops. */
  rejectLimit: z.number().min(0).max(1).default(0.01),
});

export type Config = z.output<typeof configSchema>;
export type ConfigInput = z.input<typeof configSchema>;
export type ChannelConfig = z.output<typeof channel>;
export type SourceConfig = z.output<typeof source>;

function isRange([least, most]: readonly [number, number]): boolean {
  return least <= most;
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, "u"); // as it will be used
    return new RegExp(`(?:${text})|`, "u").exec("")?.length === 2;
  } catch {
    return false;
  }
}
