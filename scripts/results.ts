// npm run results [-- <folder>]: writes docs/results.md, and a table of docs/personalisation.md, from docs/results/*.json; with a folder, first takes over what measure.sh left there.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Results, resultsPage } from "./results-page.ts";
import { ownTable } from "./results-users.ts";

const root = join(import.meta.dirname, "..");
const stored = join(root, "docs", "results");

const ITEM_FILES = ["default", "learned", "siamese", "paper"] as const;
const FILES = [
  ...["time", "random"].flatMap((split) => ITEM_FILES.map((name) => `${name}-${split}`)),
  "default-users",
  "personal-default",
  "personal-paper",
  "popularity-time",
];

/** Enough for three decimals, and a file that is small. */
const DIGITS = 5;
const rounded = (_: string, value: unknown) => (typeof value === "number" ? Number(value.toPrecision(DIGITS)) : value);

export function readResults(folder: string = stored): Results {
  const read = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  const ofItems = (split: string) => Object.fromEntries(ITEM_FILES.map((name) => [name, read(`${name}-${split}`)]));
  return {
    time: ofItems("time"),
    random: ofItems("random"),
    users: read("default-users"),
    personal: { default: read("personal-default"), paper: read("personal-paper") },
    popularity: read("popularity-time"),
  } as unknown as Results;
}

if (process.argv[1] === import.meta.filename) {
  const [folder] = process.argv.slice(2);
  if (folder !== undefined) {
    for (const name of FILES) {
      const written = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
      const result = written.result ?? (name.startsWith("personal") ? written.users : written); // a report has more, such as where it was made
      writeFileSync(join(stored, `${name}.json`), `${JSON.stringify(result, rounded)}\n`);
    }
  }
  const missing = FILES.filter((name) => !existsSync(join(stored, `${name}.json`)));
  if (missing.length > 0) {
    throw new Error(`docs/results lacks ${missing.join(", ")}: measure them with docs/results/measure.sh <folder>`);
  }
  const results = readResults();
  writeFileSync(join(root, "docs", "results.md"), resultsPage(results));
  const page = join(root, "docs", "personalisation.md");
  const block = `<!-- own -->\n${ownTable(results.personal.default)}\n<!-- /own -->`;
  writeFileSync(
    page,
    readFileSync(page, "utf8").replace(/<!-- own -->[\s\S]*<!-- \/own -->/, () => block),
  );
}
