// A step of stage 2 from embeddings on, and the exact likelihood: the value, and its gradients by Z, h, log σ and log v.
import type { Engine, Scope, Tensor } from "@nearkin/core";
import { batchLikelihood, type LikelihoodGradients } from "../packages/train/src/stages/likelihood.ts";
import type { StepCase, StepTrial } from "./train-cases.ts";
import { exactFlops, sparseFlops } from "./train-flops.ts";
import { type LikelihoodWorld, madeUpEmbeddings, SIZES, WIDTH } from "./train-world.ts";

const WEIGHTS = [0.6, 0.9, 1.2, 0.3]; // h
const SIGMA = 0.6;
const VARIANCE = 1.3;

interface Size {
  n: number;
  m: number;
  k: number;
}

export function vfeCase(): StepCase {
  const size = { n: 4096, m: 512, k: 64 };
  return {
    ...likelihoodCase("vfe", size),
    name: "stage 2: vfe, 4,096 items, 512 inducing, 64 targets, f64",
    flops: sparseFlops({ ...size, e: WIDTH }),
    targets: { portable: 0.9, native: 0.6 },
    repeat: 3,
  };
}

export function exactCase(): StepCase {
  const size = { n: 1024, m: 0, k: 1 };
  return {
    ...likelihoodCase("exact", size),
    name: "exact likelihood, 1,024 items, one target, f64",
    flops: exactFlops({ ...size, e: WIDTH }),
    targets: { portable: 1, native: 0.7 },
    repeat: 4,
  };
}

function likelihoodCase(key: "vfe" | "exact", { n, m, k }: Size) {
  const world = madeUpEmbeddings(n, k);
  const numbers = (data: ArrayLike<number>, ...shape: number[]): Tensor => {
    return { type: "F64", shape, data: Float64Array.from(data) };
  };
  return {
    key,
    tolerance: 1e-7,
    open: (engine: Engine) => openTrial(engine, key, { n, m, k, world }),
    tensors: () => ({
      Z: numbers(world.Z, n, WIDTH),
      R: numbers(world.R, n, k),
      noise: numbers(world.noise, n),
      h: numbers(WEIGHTS, WEIGHTS.length),
      settings: numbers([SIGMA, VARIANCE, m], 3),
    }),
  };
}

function openTrial(
  engine: Engine,
  likelihood: "vfe" | "exact",
  { n, m, k, world }: Size & { world: LikelihoodWorld },
): StepTrial {
  const outer = engine.scope();
  const Z = outer.matrix(n, WIDTH).write(world.Z);
  const R = outer.matrix(n, k).write(world.R);
  const noise = outer.matrix(n, 1).write(world.noise.map((x) => SIGMA * SIGMA * x));
  const weights = outer.matrix(WIDTH, 1).write(SIZES.flatMap((size, c) => Array<number>(size).fill(WEIGHTS[c])));
  const rowLengths = outer.zeros(n, 1);
  const options = { weights, rowLengths, link: "linear" as const, offset: 0, variance: VARIANCE };

  function pass(scope: Scope): { value: number; by: LikelihoodGradients } {
    const by: LikelihoodGradients = {
      Z: scope.zeros(n, WIDTH),
      weights: scope.zeros(WIDTH, 1),
      lengths: scope.zeros(n, 1),
      noiseScale: 0,
      variance: 0,
      offset: 0,
    };
    const batch = { engine, scope, Z, options, R, noise, m, shift: 0, measureShift: false };
    return { value: batchLikelihood(batch, likelihood, by).value, by };
  }

  return {
    call() {
      using scope = engine.scope();
      pass(scope);
    },
    outcome() {
      using scope = engine.scope();
      const { value, by } = pass(scope);
      const h = new Float64Array(SIZES.length);
      const columns = by.weights.read();
      SIZES.forEach((size, c) => {
        for (let j = 0; j < size; j++) h[c] += columns[c * size + j];
      });
      return {
        value,
        gradients: { Z: by.Z.read(), h, logNoise: [2 * by.noiseScale], logVariance: [VARIANCE * by.variance] },
      };
    },
  };
}
