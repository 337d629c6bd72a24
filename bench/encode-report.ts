// The result of the suite encode as text: for the terminal and for docs/benchmarks.md; a test compares that page with the stored result.
import { type Machine, table } from "./harness.ts";

export const CONTENDERS = ["theirs", "wasm", "wasm-relaxed"] as const;
export type Contender = (typeof CONTENDERS)[number];

export interface EncodeResult {
  suite: "encode";
  date: string;
  machine: Machine;
  rounds: number;
  cases: {
    name: string;
    /** Texts of a round. */
    texts: number;
    /** Words of a text, on average. */
    words: number;
    /** Texts per second by round, one text at a time. */
    single: Record<Contender, number[]>;
    /** The same with all texts of a round in one call. */
    together: Record<Exclude<Contender, "theirs">, number[]>;
    /** Least cosine between our vectors and theirs. */
    cosine: number;
  }[];
  /** Bytes of a process that has loaded the weights and encoded everything. */
  resident: Record<Contender, number>;
}

export function report({ machine, rounds, cases, resident }: EncodeResult): string {
  const rate = (rates: readonly number[]) => Math.max(...rates).toPrecision(3);
  const against = (ours: readonly number[], theirs: readonly number[]) =>
    `${rate(ours)} (${(Math.max(...ours) / Math.max(...theirs)).toFixed(1)}×)`;
  const rows = cases.map(({ name, words, single, together }) => [
    `${name} (${Math.round(words)} words)`,
    rate(single.theirs),
    against(single.wasm, single.theirs),
    against(together.wasm, single.theirs),
    against(single["wasm-relaxed"], single.theirs),
    against(together["wasm-relaxed"], single.theirs),
  ]);
  const memory = (who: Contender) => `${Math.round(resident[who] / 1e6)} MB`;
  return [
    `${machine.cpu}, one thread each, Node ${machine.node}; texts per second, the best of ${rounds} rounds in turn; in brackets how many times ` +
      "@lat.md/embed's best.",
    "",
    table([
      ["", "@lat.md/embed", "wasm, one by one", "wasm, in one call", "relaxed, one by one", "relaxed, in one call"],
      ...rows,
      ["resident, whole process", memory("theirs"), memory("wasm"), "", memory("wasm-relaxed"), ""],
    ]),
    "",
    `The least cosine between their vectors and ours was 1 − ${(1 - Math.min(...cases.map(({ cosine }) => cosine))).toExponential(0)}.`,
  ].join("\n");
}
