// MovieLens, as GroupLens packs it: 100K (u.data), 1M and 10M (*.dat), and all later editions (*.csv); also with a table of items that
// somebody joined from elsewhere.
import { join } from "node:path";
import type { ConfigInput } from "../config/schema.ts";
import { type ChannelsInput, filesMissing, firstFile, type Layout } from "./layout.ts";
import { peekHeader } from "./peek.ts";

/**
 * The year at the end of a title. Series name a span, of which the first year counts: "(2006–2007)", "(2007-)"; a few titles
 * close a bracket too many or add "(V)". A title without a year, such as that of a series, is missing.
 */
const YEAR = String.raw`\((\d{4})(?:\s*[–-]\s*(?:\d{4})?)?\)+\s*(?:\(V\)\s*)?$`;
const NO_GENRES = "(no genres listed)";

/** Genres of u.item, in the order of its columns. The first column, "unknown", is no genre: such a film's genres are missing. */
const GENRES_100K = [
  "Action",
  "Adventure",
  "Animation",
  "Children's",
  "Comedy",
  "Crime",
  "Documentary",
  "Drama",
  "Fantasy",
  "Film-Noir",
  "Horror",
  "Musical",
  "Mystery",
  "Romance",
  "Sci-Fi",
  "Thriller",
  "War",
  "Western",
];

export const movielens: Layout = {
  description:
    "MovieLens: ratings.csv with movies.csv or items.csv, ratings.dat with movies.dat, or u.data with u.item",
  detect: (folder) => edition(folder) !== undefined,
  config(folder) {
    const found = edition(folder);
    if (found) return found(folder);
    throw filesMissing(
      "movielens",
      folder,
      "ratings.csv (userId, movieId, rating, timestamp) with movies.csv or items.csv (movieId, title, …), " +
        "or ratings.dat with movies.dat, or u.data with u.item",
    );
  },
};

function edition(folder: string): ((folder: string) => ConfigInput) | undefined {
  if (hasColumns(folder, "ratings.csv", "userId", "movieId", "rating") && itemTable(folder)) return csvEdition;
  if (firstFile(folder, "ratings.dat") && firstFile(folder, "movies.dat")) return datEdition;
  if (firstFile(folder, "u.data") && firstFile(folder, "u.item")) return edition100k;
  return undefined;
}

function hasColumns(folder: string, name: string, ...columns: string[]): boolean {
  const file = firstFile(folder, name);
  if (file === undefined) return false;
  const header = peekHeader(join(folder, file), ",");
  return columns.every((column) => header.includes(column));
}

/** The joined table where there is one: it has all that movies.csv has. */
function itemTable(folder: string): string | undefined {
  const name = ["items.csv", "movies.csv"].find((table) => hasColumns(folder, table, "movieId", "title"));
  return name === undefined ? undefined : firstFile(folder, name);
}

const title: ChannelsInput = { title: { type: "text", column: "title" } };
const year: ChannelsInput = { year: { type: "number", column: "title", pattern: YEAR } };
const genres: ChannelsInput = {
  genres: { type: "categories", column: "genres", separator: "|", missing: [NO_GENRES] },
};

function csvEdition(folder: string): ConfigInput {
  const items = itemTable(folder) as string;
  const header = peekHeader(join(folder, items), ",");
  // Of a join only what describes the film: votes, averages and popularity sum up ratings, which the model is to predict.
  const joined: ChannelsInput = {
    plot: { type: "text", column: "overview" },
    keywords: { type: "categories", column: "keywords", separator: "|" },
    released: { type: "date", column: "release_date" },
  };
  return {
    name: "MovieLens",
    interactions: {
      files: firstFile(folder, "ratings.csv") as string,
      columns: { user: "userId", item: "movieId", rating: "rating", time: "timestamp" },
      ratingRange: [0.5, 5],
      timeUnit: "s",
    },
    items: { files: items, columns: { item: "movieId", title: "title" } },
    channels: { ...existing(genres, header), ...title, ...year, ...existing(joined, header) },
  };
}

/** The channels whose column is there. */
function existing(channels: ChannelsInput, header: readonly string[]): ChannelsInput {
  return Object.fromEntries(
    Object.entries(channels).filter(([, channel]) => "column" in channel && header.includes(channel.column ?? "")),
  );
}

function datEdition(folder: string): ConfigInput {
  // 1M comes with users.dat; 10M with tags.dat, half stars, and in UTF-8.
  const is10m = firstFile(folder, "tags.dat") !== undefined && firstFile(folder, "users.dat") === undefined;
  const encoding = is10m ? "utf-8" : "latin-1";
  const dat = { format: "csv", delimiter: "::", quote: "" } as const;
  return {
    name: is10m ? "MovieLens 10M" : "MovieLens 1M",
    interactions: {
      files: firstFile(folder, "ratings.dat") as string,
      ...dat,
      names: ["userId", "movieId", "rating", "timestamp"],
      columns: { user: "userId", item: "movieId", rating: "rating", time: "timestamp" },
      ratingRange: [is10m ? 0.5 : 1, 5],
      timeUnit: "s",
    },
    items: {
      files: firstFile(folder, "movies.dat") as string,
      ...dat,
      names: ["movieId", "title", "genres"],
      encoding,
      columns: { item: "movieId", title: "title" },
    },
    channels: { ...genres, ...title, ...year },
  };
}

function edition100k(folder: string): ConfigInput {
  return {
    name: "MovieLens 100K",
    interactions: {
      files: firstFile(folder, "u.data") as string,
      format: "tsv",
      quote: "",
      names: ["userId", "movieId", "rating", "timestamp"],
      columns: { user: "userId", item: "movieId", rating: "rating", time: "timestamp" },
      ratingRange: [1, 5],
      timeUnit: "s",
    },
    items: {
      files: firstFile(folder, "u.item") as string,
      format: "csv",
      delimiter: "|",
      quote: "",
      names: ["movieId", "title", "release_date", "video_release_date", "imdb_url", "unknown", ...GENRES_100K],
      encoding: "latin-1",
      columns: { item: "movieId", title: "title" },
    },
    channels: { genres: { type: "categories", flags: GENRES_100K }, ...title, ...year },
  };
}
