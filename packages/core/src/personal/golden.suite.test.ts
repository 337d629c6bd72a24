// What PyTorch computed by autograd (reference/personal.py): likelihoods of one user with gradient and Hessian, adaptation with its Jacobian,
// evidence with each rating left out.
import { afterAll, beforeAll, expect, test } from "vitest";
import golden from "../../../../reference/golden/personal.json";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine, Link } from "../linalg/engine.ts";
import { rowLayout } from "../rank/layout.ts";
import { expectWithin } from "../testing/bounds.ts";
import { Inputs } from "../testing/golden-file.ts";
import { adapt, adaptationJacobian } from "./adaptation.ts";
import { ChoiceLikelihood } from "./choice.ts";
import { type Objective, PersonalLikelihood } from "./likelihood.ts";
import { PersonalProcess } from "./process.ts";
import { SoftplusObjective } from "./softplus.ts";

let engine: Engine;
let scope: Scope;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
  scope = engine.scope();
});
afterAll(async () => {
  scope.close();
  await engine.close();
});

const casesOf = (op: string) =>
  golden.cases
    .filter((one) => one.op === op)
    .map(({ name, inputs, outputs }) => ({ name, inputs: new Inputs(inputs), outputs: new Inputs(outputs) }));

test("every golden case is of a kind that is computed here", () => {
  expect(new Set(golden.cases.map(({ op }) => op))).toEqual(new Set(["process", "adaptation", "choice", "evidence"]));
});

/** Pairs i ≥ j of square matrices, one for each channel. */
function processOf(inputs: Inputs): Objective {
  const channels = inputs.vectors("distances");
  const targets = Float64Array.from(inputs.vector("targets"));
  const n = targets.length;
  const distances = channels.flatMap((square) =>
    Array.from({ length: n }, (_, i) => square.slice(i * n, i * n + i + 1)).flat(),
  );
  const likelihood = new PersonalLikelihood(
    engine,
    scope,
    {
      n,
      p: channels.length,
      distances: Float64Array.from(distances),
      targets,
      noise: Float64Array.from(inputs.vector("noise")),
    },
    { link: inputs.text("link") as Link, variance: inputs.number("variance") },
  );
  return inputs.flag("softplus") ? new SoftplusObjective(likelihood, channels.length) : likelihood;
}

function choiceOf(inputs: Inputs): Objective {
  const [own, others] = [inputs.vectors("own"), inputs.vectors("others")];
  const [logs, shares] = [inputs.vector("logPopularity"), inputs.vector("shares")];
  const p = own.length;
  const m = shares.length;
  const s = logs.length - m;
  const distances = own.flatMap((square, c) =>
    Array.from({ length: s }, (_, i) => [
      ...square.slice(i * s, (i + 1) * s),
      ...others[c].slice(i * m, (i + 1) * m),
    ]).flat(),
  );
  const likelihood = new ChoiceLikelihood(engine, scope, {
    s,
    m,
    p,
    window: s,
    temperature: inputs.number("temperature"),
    distances: Float64Array.from(distances),
    logPopularity: Float64Array.from(logs),
    shares: Float64Array.from(shares),
  });
  return inputs.flag("softplus") ? new SoftplusObjective(likelihood, p) : likelihood;
}

test.each([
  ...casesOf("process").map((one) => ({ ...one, objectiveOf: processOf })),
  ...casesOf("choice").map((one) => ({ ...one, objectiveOf: choiceOf })),
])("$name: value, gradient and Hessian", ({ inputs, outputs, objectiveOf }) => {
  const objective = objectiveOf(inputs);
  const P = objective.size;
  const [gradient, hessian] = [new Float64Array(P), new Float64Array(P * P)];
  const value = objective.evaluate(inputs.vector("x"), { gradient, hessian });
  expectWithin("value", [value], [outputs.number("value")], 1e-12);
  expectWithin("gradient", gradient, outputs.vector("gradient"), 1e-12);
  expectWithin("Hessian", hessian, outputs.matrix("hessian"), 1e-11);
});

test.each(casesOf("adaptation"))("$name: κ and ∂κ/∂w", ({ inputs, outputs }) => {
  const objective = processOf(inputs);
  const rate = inputs.number("rate");
  const path = adapt(objective, inputs.vector("x"), { steps: inputs.number("steps"), rate });
  expectWithin("κ", path[path.length - 1], outputs.vector("point"), 1e-12);
  expectWithin("J", adaptationJacobian(objective, path, rate), outputs.matrix("jacobian"), 1e-11);
});

test.each(casesOf("evidence"))(
  "$name: the mean, its parts, and what it would be without each",
  ({ inputs, outputs }) => {
    const coordinates = inputs.vectors("coordinates");
    const items = coordinates.map((values, index) => ({
      embedding: Float32Array.from(values),
      masked: new Uint8Array(3),
      index,
    }));
    const process = new PersonalProcess(engine, {
      rows: { layout: rowLayout([2, 2, 2]), lengths: new Float64Array(3) },
      items: items.slice(0, -1),
      ratings: inputs.vector("ratings"),
      weights: inputs.vector("weights"),
      kernel: { link: "linear", variance: inputs.number("variance") },
      noise: inputs.number("noise"),
    });
    const { mean, deviation, evidence } = process.predict(items[items.length - 1]);
    const rounding = 2e-6; // embeddings are f32
    expectWithin("mean", [mean], [outputs.number("mean")], rounding);
    expectWithin("variance", [deviation ** 2], [outputs.number("variance")], rounding);
    expectWithin(
      "contributions",
      evidence.map(({ contribution }) => contribution),
      outputs.vector("contributions"),
      rounding,
    );
    expectWithin(
      "without",
      evidence.map(({ without }) => without ?? Number.NaN),
      outputs.vector("without"),
      rounding,
    );
  },
);
