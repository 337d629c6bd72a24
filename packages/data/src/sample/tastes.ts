// What users like. Weights h_u = h ∘ exp(s·N(0, 1)); taste f_u = √v·g_u + √v₀·Σ_a ω_ua g_a, where g_u ~ GP(0, k_u) is the
// user's own, k_u = exp(−½ Σ_c h_uc d_c) (Eq. 5 with the linear link), and the archetypes g_a ~ GP(0, k) under the base
// weights are everyone's: they make the likes of users overlap, as a Gaussian process per user alone would not.
// n films.
import type { Engine, Random } from "@nearkin/core";
import { type Metric, totalDistances } from "./distances.ts";
import { CHANNELS, type ChannelWeights, PARAMETERS } from "./parameters.ts";
import { portableExp } from "./portable.ts";

const { baseWeights, weightSpread, personalVariance, sharedVariance, archetypeCount, jitter } = PARAMETERS.taste;
const STRIP = 60; // rows

export function drawWeights(random: Random): ChannelWeights {
  const weights: ChannelWeights = { ...baseWeights };
  for (const channel of CHANNELS) weights[channel] *= portableExp(weightSpread * random.normal());
  return weights;
}

/** `count` draws of GP(0, exp(−½t)) over the films, t = Σ_c h_c d_c: L·ε with L Lᵀ = K + jitter·I. */
export function drawProcess(engine: Engine, metric: Metric, random: Random, count = 1): Float64Array[] {
  const { n } = metric.distances;
  using scope = engine.scope();
  const K = scope.zeros(n, n);
  // The factorisation reads the lower triangle only: distances row by row up to the diagonal, exp in strips that cover it.
  for (let i = 0; i < n; i++) {
    const at = K.offset + i * K.rowStride;
    totalDistances(K.data.subarray(at, at + i + 1), metric, i, -0.5);
  }
  for (let i = 0; i < n; i += STRIP) {
    const strip = K.view(i, Math.min(i + STRIP, n), 0, Math.min(i + STRIP, n));
    engine.activate(strip, strip, "exp");
  }
  for (let i = 0; i < n; i++) K.set(i, i, 1 + jitter);
  engine.cholesky(K, { name: "sample: K" });
  const noise = scope.matrix(n, 1);
  const draw = scope.matrix(n, 1);
  return Array.from({ length: count }, () => {
    engine.fillNormal(noise, random);
    engine.gemv(draw, K, noise);
    return draw.read();
  });
}

/** The tastes that all users mix, drawn under the base weights. */
export function drawArchetypes(engine: Engine, distances: Metric["distances"], random: Random): Float64Array[] {
  return drawProcess(engine, { distances, weights: baseWeights }, random, archetypeCount);
}

/** f_u over all films; ω_ua ~ N(0, 1 / archetypes). */
export function drawTaste(
  engine: Engine,
  user: { metric: Metric; archetypes: readonly Float64Array[] },
  random: Random,
): Float64Array {
  const [own] = drawProcess(engine, user.metric, random.split("own"));
  const mix = random.split("archetypes");
  const taste = own.map((x) => Math.sqrt(personalVariance) * x);
  for (const archetype of user.archetypes) {
    const share = Math.sqrt(sharedVariance / user.archetypes.length) * mix.normal();
    for (let i = 0; i < taste.length; i++) taste[i] += share * archetype[i];
  }
  return taste;
}
