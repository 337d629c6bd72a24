// How much arithmetic a training step is, by formula: products, solves and factorisations as the product does them, a multiplication and an
// addition counted as two. What goes over elements once (activations, exponentials, dropout, AdamW, copies) is not counted, so the share of
// the speed of gemm that a step reaches says how much of its time such passes take.
import type { EnsembleConfig } from "@nearkin/core";

export interface Flops {
  f32: number;
  f64: number;
}

export const add = (...parts: readonly Flops[]): Flops => ({
  f32: parts.reduce((sum, part) => sum + part.f32, 0),
  f64: parts.reduce((sum, part) => sum + part.f64, 0),
});

/**
 * Towers over `rows` items, forward and back: each layer (a, b) takes 2ab a row forward and 2ab for the gradient of its weights, all but the
 * first another 2ab for the gradient of its input. `entries`: mean number of entries of a row, by sparse channel.
 */
export function towerFlops(
  rows: number,
  { channels, hidden: h }: EnsembleConfig,
  entries: Readonly<Record<string, number>> = {},
): Flops {
  let perRow = 0;
  for (const { name, input, inputWidth, embeddingSize: e } of channels) {
    if (input === "identity") continue;
    const d = input === "sparse" ? (entries[name] ?? 0) : inputWidth;
    perRow += 4 * d * 2 * h + 6 * 2 * h * h + 6 * h * e;
  }
  return { f32: rows * perRow, f64: 0 };
}

/** In-batch softmax of B anchors against B candidates, e columns: logits, and the two products of their gradient. */
export const softmaxFlops = (B: number, e: number): Flops => ({ f32: 6 * B * B * e, f64: 0 });

/** Contrastive and cross-entropy losses: pairs side by side, nothing quadratic. */
export const pairFlops = (pairs: number, e: number): Flops => ({ f32: 10 * pairs * e, f64: 0 });

/**
 * dtc and vfe, n items of which m are inducing, k targets, e columns: K_nm 2nme; L m³/3; V nm²; XᵀX n(m + k)²; L_B m³/3; u 2m²k; α̃ 2nmk; β m²k;
 * T₀ and T₁ 3m³; uβᵀ 2m²k; ∂K_nm 2nm(m + k); ∂K_mm m³; the chain to embeddings and weights 4nme.
 */
export function sparseFlops({ n, m, k, e }: { n: number; m: number; k: number; e: number }): Flops {
  const items = 6 * n * m * e + n * m * m + n * (m + k) ** 2 + 2 * n * m * k + 2 * n * m * (m + k);
  return { f32: 0, f64: items + (14 / 3) * m ** 3 + 5 * m * m * k };
}

/** exact: K 2n²e; L n³/3; α 2n²k; S⁻¹ 2n³/3; ααᵀ n²k; the chain 2n²e, both sides being the same. */
export function exactFlops({ n, k, e }: { n: number; k: number; e: number }): Flops {
  return { f32: 0, f64: n ** 3 + 4 * n * n * e + 3 * n * n * k };
}
