// The result of the suite personalize as text: for the terminal, and for README.md, where a test compares it with the stored result.
import { type Machine, table } from "./harness.ts";
import type { PersonalizeCase } from "./personalize-world.ts";

export interface PersonalizeTimes extends PersonalizeCase {
  /** By contender: users a second, the best round. */
  best: Record<string, number>;
  /** By contender: means over users of the objective that was reached, and of the steps it took. */
  found: Record<string, { value: number; iterations: number }>;
}

export interface PersonalizeResult {
  suite: "personalize";
  date: string;
  machine: Machine;
  rounds: number;
  torch: string | null;
  cases: PersonalizeTimes[];
}

const CONTENDERS = ["wasm", "wasm-relaxed", "native", "PyTorch"];

export function report({ machine: m, rounds, torch, cases }: PersonalizeResult): string {
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

const lowest = (found: PersonalizeTimes["found"]): number =>
  Math.min(...Object.values(found).map(({ value }) => value));

const ratio = (best: Record<string, number>, who: string): string =>
  best.PyTorch === undefined || who === "PyTorch" ? "" : ` (${(best[who] / best.PyTorch).toFixed(1)})`;
