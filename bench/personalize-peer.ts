// One core's share of the suite personalize: fits of made-up users, one after the other, on the engine named on the command line. Reads requests as JSON lines,
// like torch_personalize_peer.py: {"case": …, "file": …, "from": 0, "to": 60} answers {"ms": [whole], "values": …, "iterations": …}.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import {
  ChoiceLikelihood,
  createEngine,
  type EngineKind,
  fitWeights,
  inverseSoftplus,
  type Objective,
  PersonalLikelihood,
  PosteriorObjective,
  type Scope,
  SoftplusObjective,
} from "@nearkin/core";
import { openBlas } from "@nearkin/native";
import { CHANNELS, NOISE, numbersOf, type PersonalizeCase, TEMPERATURE } from "./personalize-world.ts";

interface Request {
  case: PersonalizeCase;
  file: string;
  from: number;
  to: number;
}

const engine = await createEngine({ engine: process.argv[2] as EngineKind, workers: 1, native: openBlas });
const say = (message: unknown) => process.stdout.write(`${JSON.stringify(message)}\n`);
say({ ready: true, engine: engine.info });

for await (const line of createInterface({ input: process.stdin })) say(fitAll(JSON.parse(line) as Request));
await engine.close();

function fitAll({ case: c, file, from, to }: Request) {
  const bytes = readFileSync(file);
  const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const users = Array.from({ length: to - from }, (_, u) =>
    numbers.subarray((from + u) * numbersOf(c), (from + u + 1) * numbersOf(c)),
  );
  const started = performance.now();
  const fits = users.map((own) => {
    using scope = engine.scope();
    const { objective, evidence } = objectiveOf(scope, c, own);
    const P = objective.size;
    const mean = new Float64Array(P).fill(inverseSoftplus(0.5), 0, CHANNELS);
    const precision = Float64Array.from({ length: P * P }, (_, k) => (k % (P + 1) === 0 ? 1 : 0));
    return fitWeights(new PosteriorObjective(objective, { mean, precision }, evidence), mean);
  });
  const ms = performance.now() - started;
  return { ms: [ms], values: fits.map(({ value }) => value), iterations: fits.map(({ iterations }) => iterations) };
}

/** From coordinates on: distances are part of a fit. */
function objectiveOf(
  scope: Scope,
  { target, rows, others }: PersonalizeCase,
  own: Float64Array,
): { objective: Objective; evidence: number } {
  const values = own.subarray((rows + others) * 2 * CHANNELS);
  if (target === "choice") {
    const distances = new Float64Array(CHANNELS * rows * (rows + others));
    for (let c = 0, at = 0; c < CHANNELS; c++) {
      for (let i = 0; i < rows; i++) {
        for (let j = 0; j < rows + others; j++, at++) distances[at] = distance(own, i, j, c);
      }
    }
    const likelihood = new ChoiceLikelihood(engine, scope, {
      s: rows,
      m: others,
      p: CHANNELS,
      window: rows,
      temperature: TEMPERATURE,
      distances,
      logPopularity: values.slice(0, rows + others),
      shares: new Float64Array(others).fill(20),
    });
    return { objective: new SoftplusObjective(likelihood, CHANNELS), evidence: 0.5 * rows };
  }
  const N = (rows * (rows + 1)) / 2;
  const distances = new Float64Array(CHANNELS * N);
  for (let c = 0; c < CHANNELS; c++) {
    for (let i = 0, k = c * N; i < rows; i++) for (let j = 0; j <= i; j++, k++) distances[k] = distance(own, i, j, c);
  }
  const problem = {
    n: rows,
    p: CHANNELS,
    distances,
    targets: values.slice(0, rows),
    noise: new Float64Array(rows).fill(NOISE),
  };
  const likelihood = new PersonalLikelihood(engine, scope, problem, { link: "linear", variance: 1 });
  return { objective: new SoftplusObjective(likelihood, CHANNELS), evidence: rows };
}

function distance(z: Float64Array, i: number, j: number, c: number): number {
  const [a, b] = [(i * CHANNELS + c) * 2, (j * CHANNELS + c) * 2];
  return (z[a] - z[b]) ** 2 + (z[a + 1] - z[b + 1]) ** 2;
}
