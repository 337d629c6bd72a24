// The Yelp Open Dataset: reviews of businesses, both as JSON lines.
import { join } from "node:path";
import { filesMissing, firstFile, type Layout } from "./layout.ts";
import { peekKeys } from "./peek.ts";

/** Its file, with the prefix of the archive or without. */
const table = (folder: string, name: string) =>
  firstFile(folder, `yelp_academic_dataset_${name}.json`, `${name}.json`, `${name}.jsonl`);

export const yelp: Layout = {
  description: "Yelp Open Dataset: yelp_academic_dataset_review.json and yelp_academic_dataset_business.json",
  detect: (folder) =>
    ["review", "business"].every((name) => {
      const file = table(folder, name);
      return file !== undefined && peekKeys(join(folder, file)).includes("business_id");
    }),
  config(folder) {
    const reviews = table(folder, "review");
    const businesses = table(folder, "business");
    if (reviews === undefined || businesses === undefined) {
      const lookedFor = "yelp_academic_dataset_review.json and yelp_academic_dataset_business.json";
      throw filesMissing("yelp", folder, `${lookedFor} (or review.json and business.json; .gz is fine)`);
    }
    return {
      name: "Yelp",
      interactions: {
        files: reviews,
        format: "jsonl",
        columns: { user: "user_id", item: "business_id", rating: "stars", time: "date" },
        ratingRange: [1, 5],
        timeUnit: "iso",
      },
      items: { files: businesses, format: "jsonl", columns: { item: "business_id", title: "name" } },
      // Not `stars` and `review_count` of a business: they sum up the reviews.
      channels: {
        categories: { type: "categories", column: "categories", separator: ", " },
        place: { type: "geo", latitude: "latitude", longitude: "longitude" },
        city: { type: "categories", column: "city", separator: null },
        name: { type: "text", column: "name" },
      },
    };
  },
};
