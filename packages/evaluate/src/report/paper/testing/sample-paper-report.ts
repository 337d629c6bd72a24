// A report on the paper's experiments made by hand: small enough to be read in the snapshot, with markup wherever data may have text.
import type { Drawn } from "../../../experiments/curve.ts";
import type { Band, PaperResult, PaperRow } from "../../../experiments/paper.ts";
import { paperMetrics } from "../../../protocol/measure.ts";
import { EVIL } from "../../testing/sample-report.ts";
import type { PaperReport } from "../paper-report.ts";
import { resolvePaperSettings, settingChanges } from "../settings.ts";

const byMetric = <T>(of: (name: Drawn, i: number) => T): Record<Drawn, T> =>
  Object.fromEntries(paperMetrics.map((name, i) => [name, of(name, i)])) as Record<Drawn, T>;

const bands = (hr: number, deviation = 0.01): Record<Drawn, Band> =>
  byMetric((_, i) => ({ mean: hr + i / 10, deviation }));

const interval = (mean: number) => ({ mean, low: mean - 0.02, high: mean + 0.02 });

/** SSL stands at .3. */
function row(name: string, hr: number, against = true): PaperRow {
  const difference = interval(0.3 - hr);
  const better = difference.mean > 0 ? 40 : 5;
  const p = Math.abs(difference.mean) > 0.02 ? 0.0001 : 0.4;
  return {
    name,
    metrics: byMetric((_, i) => interval(hr + i / 10)),
    ...(against ? { ssl: byMetric(() => ({ difference, test: { better, equal: 5, worse: 45 - better, p } })) } : {}),
  };
}

const result: PaperResult = {
  format: "nearkin-paper",
  version: 1,
  datasets: [1, 2].map((fold) => ({
    name: "films & more",
    hash: String(fold).repeat(64),
    split: "random",
    role: "test",
    items: 100,
    users: 40,
    events: 900,
    queries: 26,
    simulated: true,
  })),
  truth: "co-interaction 30 d",
  queries: 50,
  seeds: [1, 2],
  curve: [
    { step: 0, metrics: bands(0.25) },
    { step: 10, metrics: bands(0.3, 0.02) },
    { step: 20, metrics: bands(0.28, 0.03) },
  ],
  lines: [
    { name: "SIAMESE", metrics: bands(0.25) },
    { name: "SIAMESE, ratings as a channel", metrics: bands(0.29) },
    { name: "SPE", metrics: bands(0.35) },
  ],
  table: [row("SSL", 0.3, false), row("SIAMESE", 0.25), row("SIAMESE, ratings as a channel", 0.29), row("SPE", 0.35)],
  chosen: [1, 2].flatMap((seed) =>
    [1, 2].map((fold) => ({
      seed,
      dataset: "films & more",
      fold,
      ssl: fold === 1 ? 10 : 0,
      spe: { step: 50, standOff: seed === 1 },
    })),
  ),
};

const settings = resolvePaperSettings(
  { train: { siamese: { steps: 20, batch: 64 }, ssl: { steps: 20, validateEvery: 10 } }, spe: { steps: 50 } },
  "by hand",
);

export const samplePaperReport: PaperReport = {
  format: "nearkin-paper-report",
  version: 1,
  simulated: true,
  data: {
    name: "films & <em>more</em>",
    items: 100,
    users: 40,
    events: 900,
    ratings: { kind: "explicit", mean: 3.5, least: 1, most: 5 },
    split: "random",
    fraction: 0.25,
    channels: [
      { name: `genres ${EVIL}`, type: "categories", encoder: null },
      { name: "plot", type: "text", encoder: "mini <b>lm</b>" },
    ],
    folds: [1, 2].map((fold) => ({
      id: String(fold).repeat(64),
      roles: { train: 50, validation: 25, test: 25 },
    })),
  },
  result,
  users: null,
  settings,
  changes: settingChanges(settings),
  reproduce: {
    commands: [{ does: "Train, and write this report", command: "nearkin report paper --dataset 'fold <1>' fold-2" }],
    config: { train: { note: "</code><script>" } },
  },
  environment: { Written: "2026-01-01T00:00:00Z", Node: "v20" },
};
