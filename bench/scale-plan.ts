// A billion interactions, a hundred million users, ten million items: what that takes by the figures measured here, at a price that stands in the table's
// own words. It is arithmetic, and no measurement: costs that grow faster than the data would make it wrong, and scaling.md says where they may.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median, table } from "./harness.ts";
import type { ScaleResult } from "./scale-report.ts";
import type { ServeResult } from "./serve-report.ts";

const INTERACTIONS = 1e9;
const USERS = 1e8;
const ITEMS = 1e7;
const CORES = 64; // of a cluster
const PRICE = 0.05; // $ for a core and 4 GB of memory, an hour
const CORE_GIGABYTES = 4;
const MONTH = 730; // hours

interface EncodeCase {
  name: string;
  single: { wasm: number[] };
}

const resultOf = <T>(suite: string): T =>
  JSON.parse(readFileSync(join(import.meta.dirname, "results", `${suite}.json`), "utf8")) as T;

/** Bytes for each item, and for a server without any: by two sizes of catalogues. */
function serverMemory({ memory }: ServeResult): { perItem: number; base: number } {
  const [small, large] = memory?.cases ?? [];
  const perItem = (large.resident - small.resident) / (large.items - small.items);
  return { perItem, base: small.resident - perItem * small.items };
}

export function plan({ prepare, personalize }: ScaleResult): string | null {
  if (!prepare || !personalize) return null;
  const bySpark = <T extends { engine: string; cores: number }>(cases: readonly T[]) =>
    cases.find(({ engine, cores }) => engine === "spark" && cores === 2) as T;
  const prepared = bySpark(prepare.cases);
  const plots = resultOf<{ cases: EncodeCase[] }>("encode").cases.find(
    ({ name }) => name === "short plots",
  ) as EncodeCase;
  const serve = resultOf<ServeResult>("serve");
  const { perItem, base } = serverMemory(serve);
  const [graph] = serve.graph?.cases ?? [];
  const work = (name: string, amount: number, rate: number): string[] => {
    const hours = amount / rate / 3600;
    return [name, n(rate, rate < 100 ? 1 : 0), n(hours, 1), span((hours / CORES) * 3600), `${n(hours * PRICE, 2)} $`];
  };
  const rows = [
    work(
      `\`prepare\`, Spark's part: ${big(INTERACTIONS)} interactions`,
      INTERACTIONS,
      prepare.rows / prepared.seconds / prepared.cores,
    ),
    work(`\`encode\`: ${big(ITEMS)} texts of some 36 words`, ITEMS, median(plots.single.wasm)),
    work(
      `\`personalize\`: ${big(USERS)} users, ${personalize.items} items each`,
      USERS,
      bySpark(personalize.cases).usersPerSecondPerCore,
    ),
    work(`the graph of ${big(ITEMS)} items`, ITEMS, graph.items / graph.build.cpuSeconds),
  ];
  const graphPerItem = graph.build.bytes / graph.items;
  const gigabytes = (base + (perItem + graphPerItem) * ITEMS) / 1e9;
  const cores = Math.ceil(gigabytes / CORE_GIGABYTES);
  const terms =
    `By the rates of two workers above, of the suite \`encode\` and of the graph in the suite \`serve\`, each taken to be the same on ${CORES} cores, ` +
    `at ${PRICE} $ for a core and ${CORE_GIGABYTES} GB an hour:`;
  return `${terms}\n\n${table([
    ["", "a second and core", "core hours", `on ${CORES} cores`, "price"],
    ...rows,
  ])}\n\nA server needs ${n(perItem)} MB for a million items of 235 columns, ${n(graphPerItem)} MB for their graph, and ${n(base / 1e6)} MB beside them. With ${big(ITEMS)} items that is ${n(gigabytes, 1)} GB: ${cores} cores by their memory, ${n(cores * PRICE * MONTH)} $ a month for each server.`;
}

const n = (value: number, digits = 0) =>
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

const big = (value: number) => (value >= 1e9 ? `${value / 1e9} billion` : `${value / 1e6} million`);

const span = (seconds: number) => (seconds >= 5400 ? `${n(seconds / 3600, 1)} h` : `${n(seconds / 60)} min`);
