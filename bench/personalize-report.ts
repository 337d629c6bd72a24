// The result of the suite personalize as text: for the terminal and for docs/benchmarks.md; a test compares that page with the stored result.
import { type Machine, table } from "./harness.ts";
import type { PersonalizeCase } from "./personalize-world.ts";

export interface FitTimes extends PersonalizeCase {
  /** By contender: users a second, the best round. */
  best: Record<string, number>;
  /** By contender: means over users of the objective that was reached, and of the steps it took. */
  found: Record<string, { value: number; iterations: number }>;
}

export interface FitsResult {
  date: string;
  machine: Machine;
  rounds: number;
  torch: string | null;
  cases: FitTimes[];
}

export interface BrowserResult {
  date: string;
  machine: Machine;
  /** Its name and version. */
  browser: string;
  users: number;
  /** Of each user. */
  ratings: number;
  /** p */
  channels: number;
  /** Milliseconds that one user may take. */
  goal: number;
  cases: {
    name: string;
    /** Milliseconds of the first user, which does not count; then the median, and what 95 % of the users stay below. */
    first: number;
    median: number;
    late: number;
    /** Means over users: items that counted, and steps of a fit. */
    used: number;
    iterations: number;
  }[];
}

export interface MemoryResult {
  date: string;
  machine: Machine;
  /** Of each user, and others that they are told apart from. */
  items: number;
  others: number;
  seconds: number;
  /** Of the filter's process, when so many users were answered. */
  resident: { users: number; bytes: number }[];
}

/** null: never measured. */
export interface PersonalizeResult {
  suite: "personalize";
  fits: FitsResult | null;
  browser: BrowserResult | null;
  memory: MemoryResult | null;
}

export function report({ fits, browser, memory }: PersonalizeResult): string {
  return [fits && fitsReport(fits), browser && browserReport(browser), memory && memoryReport(memory)]
    .filter((text) => text !== null)
    .join("\n\n");
}

const CONTENDERS = ["wasm", "wasm-relaxed", "native", "PyTorch"];

function fitsReport({ machine: m, rounds, torch, cases }: FitsResult): string {
  const present = CONTENDERS.filter((name) => cases.some(({ best }) => best[name] !== undefined));
  const rows = cases.map(({ name, goal, best, found }) => [
    name,
    ...present.map((who) => `${best[who].toFixed(best[who] < 10 ? 1 : 0)}${ratio(best, who)}`),
    present.map((who) => found[who].iterations.toFixed(1)).join(" / "),
    goal === 0 ? "–" : `${goal}: ${best.wasm >= goal ? "reached" : "missed"}`,
  ]);
  const apart = Math.max(
    ...cases.map(({ found }) => Math.max(...present.map((who) => found[who].value - lowest(found)))),
  );
  return [
    `${m.cpu}, ${m.cores} cores, Node ${m.node}${torch ? `, PyTorch ${torch}` : ""}; 5 channels; users fitted a second, one process on each core, best of ${rounds} interleaved rounds (ratio to PyTorch).`,
    "",
    table([["target", ...present, `steps, ${present.join(" / ")}`, "asked of wasm"], ...rows]),
    "",
    `All reach the same: means of the objectives differ by at most ${apart.toExponential(0)} nats an item.`,
  ].join("\n");
}

const lowest = (found: FitTimes["found"]): number => Math.min(...Object.values(found).map(({ value }) => value));

const ratio = (best: Record<string, number>, who: string): string =>
  best.PyTorch === undefined || who === "PyTorch" ? "" : ` (${(best[who] / best.PyTorch).toFixed(1)})`;

function browserReport({ machine: m, browser, users, ratings, channels, goal, cases }: BrowserResult): string {
  const rows = cases.map(({ name, first, median, late, iterations }) => [
    name,
    ms(median),
    ms(late),
    ms(first),
    iterations.toFixed(1),
    `${goal}: ${late <= goal ? "reached" : "missed"}`,
  ]);
  return [
    `One user with ${ratings} ratings in a page, ${browser}, ${m.cpu}; ${channels} channels of 50 columns; milliseconds over ${users} users, after a first one.`,
    "",
    table([["target", "median", "95 %", "the first", "steps", "asked of 95 %"], ...rows]),
  ].join("\n");
}

const ms = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

/** Above it, memory is said to grow. A garbage collector's own swings stay below. */
const FLAT = 0.1;

function memoryReport({ items, others, seconds, resident }: MemoryResult): string {
  const [last, early] = [resident[resident.length - 1], resident[1]];
  const growth = last.bytes / early.bytes - 1;
  return [
    `\`nearkin personalize --in - --out -\` over ${count(last.users)} users of ${items} items (${others} others), ${count(last.users / seconds)} a second; resident memory after so many users:`,
    "",
    table([
      ["", ...resident.map(({ users }) => count(users))],
      ["MB", ...resident.map(({ bytes }) => (bytes / 1e6).toFixed(0))],
    ]),
    "",
    `From ${count(early.users)} to ${count(last.users)} users it ${growth < FLAT ? "does not grow" : "GROWS"} (${(100 * growth).toFixed(0)} %).`,
  ].join("\n");
}

const count = (value: number): string => Math.round(value).toLocaleString("en");
