// Stages on a world of two kinds of items, where it is known what must be learned, and collapse made on purpose.
import { createEngine, type Engine, embed, type Matrix, Random } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveTrainConfig } from "../config/resolve.ts";
import type { TrainConfigInput } from "../config/schema.ts";
import type { TrainEvent } from "../events.ts";
import { siameseStage } from "../stages/siamese.ts";
import { sslStage } from "../stages/ssl.ts";
import { toySet } from "../testing/toy-set.ts";
import { runStage } from "./loop.ts";
import { ensembleOf, openRun, type Run } from "./run.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

const base: TrainConfigInput = {
  model: { hidden: 6, embedding: 4 },
  siamese: { steps: 60, batch: 32, dropout: 0, learningRate: 0.01, validateEvery: 20 },
  personal: { users: 0 },
  ssl: {
    mode: "towers",
    steps: 30,
    batch: 32,
    inducing: 8,
    minRatings: 1,
    validateEvery: 10,
    reselectEvery: 10,
    dropout: 0,
  },
};

async function ran(
  change: TrainConfigInput,
  stage: "siamese" | "ssl",
  prepare: (run: Run) => void = () => {},
  items = 40,
): Promise<{ events: TrainEvent[]; check: (look: (run: Run) => void) => void }> {
  const config = resolveTrainConfig({
    ...base,
    ...change,
    model: { ...base.model, ...change.model },
    siamese: { ...base.siamese, ...change.siamese },
    ssl: { ...base.ssl, ...change.ssl },
  });
  const scope = engine.scope();
  const run = openRun(engine, scope, { config, set: toySet(engine, config, { items }), random: new Random(4) });
  prepare(run);
  run.progress.stage = stage;
  const events: TrainEvent[] = [];
  await runStage(run, stage === "siamese" ? siameseStage(run) : sslStage(run), {
    emit: (event) => events.push(event),
    afterStep: async () => {},
  });
  return {
    events,
    check(look) {
      look(run);
      scope.close();
    },
  };
}

const warnings = (events: TrainEvent[]) => events.flatMap((event) => (event.type === "warning" ? [event.code] : []));

describe("what is learned", () => {
  test.each(["softmax", "contrastive", "cross-entropy"] as const)(
    "%s: items of one kind come together",
    async (loss) => {
      const { events, check } = await ran({ siamese: { loss } }, "siamese");
      check((run) => {
        const ratio = betweenOverWithin(run);
        expect(ratio).toBeGreaterThan(3);
      });
      const losses = events.flatMap((event) => (event.type === "step" ? [event.loss] : []));
      expect(losses[losses.length - 1]).toBeLessThan(losses[0]);
    },
  );

  test("ssl: the likelihood of the batches falls, and of items it has not seen", async () => {
    const { events, check } = await ran({ ssl: { learningRate: 0.01, target: "rating" } }, "ssl", () => {}, 120);
    check(() => {});
    const looks = events.flatMap((event) =>
      event.type === "validation" && event.holdoutNll !== null ? [event.holdoutNll] : [],
    );
    const steps = events.flatMap((event) => (event.type === "step" ? [event.nll] : []));
    expect(Math.min(...looks)).toBeLessThan(looks[0]);
    expect(steps[steps.length - 1]).toBeLessThan(steps[0]);
  });

  test("the best step is kept, and patience ends a stage", async () => {
    const { events, check } = await ran({ siamese: { steps: 400, patience: 2, validateEvery: 10 } }, "siamese");
    check((run) => {
      const [finished] = run.progress.finished;
      expect(finished.reason).toBe("patience");
      expect(finished.steps).toBe(finished.best + 20);
      const kept = events.findLast((event) => event.type === "validation" && event.best);
      expect(kept).toMatchObject({ step: finished.best, ranking: finished.ranking });
    });
  });

  test("keep: last ends with the last step, whatever ranked best", async () => {
    const { events, check } = await ran({ siamese: { steps: 60, keep: "last", validateEvery: 10 } }, "siamese");
    check((run) => {
      const [finished] = run.progress.finished;
      expect([finished.steps, finished.best]).toEqual([60, 60]);
      const last = events.findLast((event) => event.type === "validation");
      expect(last).toMatchObject({ step: 60, ranking: finished.ranking });
    });
  });

  test("a loss that is not finite ends the run, and says what to change", async () => {
    const spoil = (run: Run) => void (run.parameters.get("look.w1") as Matrix).fill(Number.NaN);
    await expect(ran({ siamese: { validateEvery: 1000 } }, "siamese", spoil)).rejects.toThrow(/not finite|is NaN/);
  });
});

describe("collapse is observable", () => {
  test("a weight that dies", async () => {
    const kill = (run: Run) => void (run.parameters.get("weights") as Matrix).set(0, 0, -12); // softplus(−12) = 6e-6
    const { events, check } = await ran({}, "siamese", kill);
    check(() => {});
    expect(warnings(events)).toContain("WEIGHT_DIED");
    expect(warnings(events).filter((code) => code === "WEIGHT_DIED")).toHaveLength(1);
  });

  test("a channel whose spread dies", async () => {
    const crush = (run: Run) => {
      const w3 = run.parameters.get("tags.w3") as Matrix;
      w3.write(w3.read().map((x) => 1e-3 * x));
    };
    const { events, check } = await ran(
      { siamese: { steps: 1, learningRate: 1e-9, validateEvery: 1 } },
      "siamese",
      crush,
    );
    check(() => {});
    expect(warnings(events)).toContain("CHANNEL_COLLAPSED");
  });

  test("each channel is warned of by itself", async () => {
    const crush = (run: Run) => {
      for (const name of ["look.w3", "tags.w3"]) {
        const w3 = run.parameters.get(name) as Matrix;
        w3.write(w3.read().map((x) => 1e-3 * x));
      }
    };
    const settings = { siamese: { steps: 1, learningRate: 1e-9, validateEvery: 1 } };
    const { events, check } = await ran(settings, "siamese", crush);
    check(() => {});
    const collapsed = events.flatMap((event) => (event.type === "warning" ? [event.channel] : []));
    expect(collapsed).toEqual(["look", "tags"]);
  });

  test("noise that swallows the signal", async () => {
    const deafen = (run: Run) => void (run.parameters.get("logNoise") as Matrix).set(0, 0, 2);
    const { events, check } = await ran({ ssl: { steps: 10, learningRate: 1e-6 } }, "ssl", deafen);
    check(() => {});
    expect(warnings(events)).toContain("NOISE_SWALLOWS_SIGNAL");
  });

  test.each([
    ["sigmoid", 1],
    ["linear", 0],
    ["saturating", 0],
  ] as const)("an indefinite kernel: %s link, told %d times", async (link, times) => {
    const bend = (run: Run) => {
      (run.parameters.get("weights") as Matrix).fill(4);
      (run.parameters.get("offset") as Matrix).fill(-6);
    };
    const { events, check } = await ran(
      { model: { link, weights: "signed" }, ssl: { likelihood: "dtc", steps: 10, anchor: 0 } },
      "ssl",
      bend,
      300,
    );
    check(() => {});
    expect(warnings(events).filter((code) => code === "KERNEL_INDEFINITE")).toHaveLength(times);
  });

  test("an indefinite kernel is shifted where all items count: exact", async () => {
    const bend = (run: Run) => {
      (run.parameters.get("weights") as Matrix).fill(4);
      (run.parameters.get("offset") as Matrix).fill(-6);
    };
    const { check } = await ran(
      { model: { link: "sigmoid", weights: "signed" }, ssl: { likelihood: "exact", batch: 200, steps: 10, anchor: 0 } },
      "ssl",
      bend,
      300,
    );
    check((run) => expect(run.progress.shift).toBeGreaterThan(0.1));
  });
});

/** Mean squared distance between items of different kinds over that of items of one kind, all channels weighted. */
function betweenOverWithin(run: Run): number {
  using scope = engine.scope();
  const items = Int32Array.from({ length: 36 }, (_, i) => i).filter((item) => item % 7 !== 3);
  const { Z } = embed(engine, scope, ensembleOf(run), items);
  const sums = [0, 0];
  const counts = [0, 0];
  for (let a = 0; a < items.length; a++) {
    for (let b = 0; b < a; b++) {
      const other = items[a] % 2 === items[b] % 2 ? 0 : 1;
      for (let j = 0; j < Z.cols; j++) sums[other] += (Z.get(a, j) - Z.get(b, j)) ** 2;
      counts[other]++;
    }
  }
  return sums[1] / counts[1] / (sums[0] / counts[0]);
}
