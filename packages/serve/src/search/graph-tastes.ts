// Metrics that differ from the base as users' may: what the graph's recall is measured with before anyone has asked.
import { type LiftedRows, Random } from "@nearkin/core";

export interface Taste {
  /** Names a row of the report. */
  kind: string;
  /** (p) h */
  weights: Float64Array;
  /** β */
  popularity: number;
}

const ONE_CHANNEL = 8; // channels that get all the weight once, the heaviest first

/**
 * The base metric; weights around it (log-normal, sd 0.4 and 1; exponential); all weight on one channel; popularity from a little to as
 * much as the whole distance between random items, and against it.
 */
export function sampleTastes(base: Float64Array, { unit, random }: { unit: number; random: Random }): Taste[] {
  const around = (factor: () => number) => base.map((h) => h * factor());
  const logNormal = (sd: number) => around(() => Math.exp(sd * random.normal()));
  const exponential = () => around(() => -Math.log(1 - random.uniform()));
  const heaviest = [...base.keys()].sort((a, b) => base[b] - base[a]).slice(0, ONE_CHANNEL);
  const tastes: Taste[] = [
    { kind: "base", weights: base, popularity: 0 },
    ...[1, 2].map(() => ({ kind: "log-normal, sd 0.4", weights: logNormal(0.4), popularity: 0 })),
    ...[1, 2, 3].map(() => ({ kind: "log-normal, sd 1", weights: logNormal(1), popularity: 0 })),
    ...[1, 2, 3].map(() => ({ kind: "exponential", weights: exponential(), popularity: 0 })),
    ...heaviest.map((c) => ({ kind: "one channel", weights: base.map((_, i) => (i === c ? 1 : 0)), popularity: 0 })),
  ];
  if (unit > 0) {
    tastes.push(
      { kind: "some popularity", weights: base, popularity: 0.1 * unit },
      { kind: "some popularity", weights: logNormal(0.4), popularity: 0.3 * unit },
      { kind: "much popularity", weights: base, popularity: unit },
      { kind: "against popularity", weights: logNormal(0.4), popularity: -0.2 * unit },
    );
  }
  return tastes;
}

/** β at which the most popular row is as much ahead of a common one as two random rows are apart: Σh/T over max − median of log q. */
export function popularityUnit({ shards, layout, count }: LiftedRows, base: Float64Array, temperature: number): number {
  const random = new Random(1);
  const sample: number[] = [];
  let largest = Number.NEGATIVE_INFINITY;
  for (const { rows } of shards) {
    for (let i = 0; i < rows.rows; i++) {
      const log = rows.data[rows.offset + i * rows.rowStride + layout.width - 1];
      if (log > largest) largest = log;
      if (random.uniform() * count < 1000) sample.push(log);
    }
  }
  const median = sample.sort((a, b) => a - b)[sample.length >> 1] ?? largest;
  const total = base.reduce((sum, h) => sum + h, 0);
  return largest > median ? total / temperature / (largest - median) : 0;
}
