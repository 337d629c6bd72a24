// A report on users' own metrics made by hand: small enough to be read in the snapshot, with markup wherever data may have text.
import type { Drawn } from "../../../experiments/curve.ts";
import type { PersonalisationResult } from "../../../experiments/personalisation.ts";
import { refitPoints } from "../../../experiments/refits.ts";
import { paperMetrics } from "../../../protocol/measure.ts";
import { EVIL } from "../../testing/sample-report.ts";
import type { UsersReport } from "../users-report.ts";

const byMetric = <T>(of: (name: Drawn, i: number) => T): Record<Drawn, T> =>
  Object.fromEntries(paperMetrics.map((name, i) => [name, of(name, i)])) as Record<Drawn, T>;

const BASE = 0.1;
const figure = (mean: number) => ({ mean, low: mean - 0.02, high: mean + 0.02, overRuns: 0.01 });

/** HR, then MRR and NDCG above it; clearly above the shared metric where it is .03 more. */
function compared(hr: number) {
  return byMetric((_, i) => {
    const gain = hr - BASE;
    const better = gain > 0.02 ? 30 : 20;
    return {
      ...figure(hr + i / 10),
      difference: { mean: gain, low: gain - 0.02, high: gain + 0.02 },
      test: { better, equal: 2, worse: 38 - better, p: gain > 0.02 ? 0.0001 : 0.6 },
    };
  });
}

const points = refitPoints({ steps: [0, 1, 50], few: { ratings: [5], steps: [1, 50] } });

export const sampleUsersResult: PersonalisationResult = {
  format: "nearkin-personalisation",
  version: 1,
  dataset: {
    name: "films & <em>more</em>",
    hash: "a".repeat(64),
    split: "users",
    role: "test",
    items: 100,
    users: 400,
    events: 9000,
    queries: 40,
    simulated: true,
  },
  model: {
    label: `default ${EVIL}`,
    target: "choice",
    fit: "map",
    mean: "population",
    items: 10,
    rate: 0.05,
    iterations: 20,
    learnedFrom: 60,
  },
  seeds: [1, 2],
  users: 40,
  base: byMetric((_, i) => figure(BASE + i / 10)),
  refits: points.map((point) => ({
    ...point,
    metrics: compared(
      point.start === "fit" ? 0.13 : BASE + (point.start === "learned" ? 0.01 : 0) - (point.step ?? 0) / 1000,
    ),
  })),
  shown: Array.from({ length: 20 }, (_, u) => ({
    ratings: 20 + u,
    base: byMetric((__, i) => u / 50 + i / 10),
    personal: byMetric((__, i) => u / 50 + i / 10 + (u % 5 === 0 ? -0.01 : 0.02)),
  })),
  shownTests: byMetric(() => ({ better: 16, equal: 0, worse: 4, p: 0.012 })),
};

export const sampleUsersReport: UsersReport = {
  format: "nearkin-users-report",
  version: 1,
  simulated: true,
  users: sampleUsersResult,
  reproduce: {
    commands: [{ does: "Write this report", command: `nearkin report users 'models/${EVIL}'` }],
    config: { train: { preset: "default" } },
  },
  environment: { Written: "2026-01-01T00:00:00Z" },
};
