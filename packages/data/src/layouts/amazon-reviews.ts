// Amazon Reviews of 2023 and of 2018: per category one file of reviews and one of items, as JSON lines.
import { join } from "node:path";
import { NearkinError } from "@nearkin/core";
import type { ConfigInput } from "../config/schema.ts";
import { fileNames, filesMissing, type Layout } from "./layout.ts";
import { peekKeys } from "./peek.ts";

const JSON_LINES = /\.jsonl?(?:\.gz)?$/i;
const LOOKED_FOR =
  "the reviews of a category and its items: <Category>.jsonl with meta_<Category>.jsonl (2023), " +
  "or <Category>.json with meta_<Category>.json (2018); .gz is fine";

/** "$12.99", "1,299.00", "from 12.99", and the lower end of "$12.99 - $24.99". All else, such as stray markup, is missing. */
const PRICE = String.raw`^\s*(?:[Ff]rom\s+)?(?:\$\s*)?(\d[\d,]*(?:\.\d+)?)\s*(?:[–-].*)?$`;

export const amazonReviews: Layout = {
  description: "Amazon Reviews 2023 or 2018: <Category>.jsonl and meta_<Category>.jsonl, one category or several",
  detect: (folder) => pairs(folder).length > 0 && edition(folder, pairs(folder)) !== undefined,
  config(folder) {
    const categories = pairs(folder);
    if (categories.length === 0) throw filesMissing("amazon-reviews", folder, LOOKED_FOR);
    const year = edition(folder, categories);
    checkUnpaired(folder, categories);
    const files = {
      reviews: categories.map(({ reviews }) => reviews),
      items: categories.map(({ items }) => items),
    };
    if (year === 2023) return edition2023(files);
    if (year === 2018) return edition2018(files);
    throw new NearkinError(
      "BAD_SOURCE",
      `layout amazon-reviews: the first lines of ${[...files.reviews, ...files.items].join(", ")} must all be those of 2023 ` +
        "(user_id, parent_asin, rating; parent_asin, title) or of 2018 (reviewerID, asin, overall; asin, title), as JSON",
    );
  },
};

interface Category {
  reviews: string;
  items: string;
}

/** The categories of which both files are there. Of the whole reviews and their dense part ("_5") the whole are taken. */
function pairs(folder: string): Category[] {
  const names = fileNames(folder).filter((name) => JSON_LINES.test(name));
  const reviewFiles = names.filter((name) => !name.startsWith("meta_"));
  const stem = (name: string) => name.replace(JSON_LINES, "");
  return names
    .filter((name) => name.startsWith("meta_"))
    .flatMap((items) => {
      const category = stem(items).slice("meta_".length);
      const wanted = [category, `reviews_${category}`, `${category}_5`, `reviews_${category}_5`];
      const reviews = wanted
        .map((own) => reviewFiles.find((name) => stem(name) === own))
        .find((name) => name !== undefined);
      return reviews === undefined ? [] : [{ reviews, items }];
    });
}

/** Reviews of items that nothing describes are rather a file that was forgotten than what one wants. */
function checkUnpaired(folder: string, categories: readonly Category[]): void {
  const category = (name: string) => name.replace(JSON_LINES, "").replace(/^reviews_|_5$/g, "");
  const known = new Set(categories.map(({ reviews }) => category(reviews)));
  for (const name of fileNames(folder)) {
    if (!JSON_LINES.test(name) || name.startsWith("meta_") || known.has(category(name))) continue;
    const keys = peekKeys(join(folder, name));
    if (!keys.includes("parent_asin") && !keys.includes("reviewerID")) continue;
    throw new NearkinError(
      "BAD_SOURCE",
      `layout amazon-reviews: ${name} holds reviews, but meta_${category(name)} with its items is not beside it; ` +
        "fetch it, or move the reviews to another folder",
    );
  }
}

/** The edition all files are of, by the keys of their first objects. */
function edition(folder: string, categories: readonly Category[]): 2023 | 2018 | undefined {
  const all = (names: string[], ...keys: string[]) =>
    names.every((name) => {
      const found = peekKeys(join(folder, name));
      return keys.every((key) => found.includes(key));
    });
  const reviews = categories.map((category) => category.reviews);
  const items = categories.map((category) => category.items);
  if (all(reviews, "user_id", "parent_asin", "rating") && all(items, "parent_asin")) return 2023;
  if (all(reviews, "reviewerID", "asin", "overall") && all(items, "asin")) return 2018;
  return undefined;
}

interface Files {
  reviews: string[];
  items: string[];
}

/** One file by its name alone, as one would write it. */
const named = (files: string[]) => (files.length === 1 ? files[0] : files);

// In neither edition a channel: average_rating and rating_number, which sum up the reviews, and rank, which sums up sales.
function edition2023({ reviews, items }: Files): ConfigInput {
  return {
    name: "Amazon Reviews 2023",
    interactions: {
      files: named(reviews),
      format: "jsonl",
      columns: { user: "user_id", item: "parent_asin", rating: "rating", time: "timestamp" },
      ratingRange: [1, 5],
      timeUnit: "ms",
    },
    items: { files: named(items), format: "jsonl", columns: { item: "parent_asin", title: "title" } },
    channels: {
      title: { type: "text", column: "title" },
      categories: { type: "categories", column: "categories" },
      store: { type: "categories", column: "store", separator: null, missing: ["None"] },
      price: { type: "number", column: "price", pattern: PRICE, thousands: ",", missing: ["None"], log: true },
      description: { type: "text", column: "description" },
      features: { type: "text", column: "features" },
    },
  };
}

function edition2018({ reviews, items }: Files): ConfigInput {
  return {
    name: "Amazon Reviews 2018",
    interactions: {
      files: named(reviews),
      format: "jsonl",
      columns: { user: "reviewerID", item: "asin", rating: "overall", time: "unixReviewTime" },
      ratingRange: [1, 5],
      timeUnit: "s",
    },
    items: { files: named(items), format: "jsonl", columns: { item: "asin", title: "title" } },
    channels: {
      title: { type: "text", column: "title" },
      categories: { type: "categories", column: "category" },
      brand: { type: "categories", column: "brand", separator: null, missing: ["None", "Unknown"] },
      price: { type: "number", column: "price", pattern: PRICE, thousands: ",", missing: ["None"], log: true },
      description: { type: "text", column: "description" },
    },
  };
}
