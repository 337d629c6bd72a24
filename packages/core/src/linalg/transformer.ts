// The forward pass of a transformer. It stands beside the engine and not in it, so that a page that encodes no texts does not carry it.
import type { Engine } from "./engine.ts";
import type { FixedRows } from "./fixed.ts";
import type { Indices, Matrix } from "./matrix.ts";
import { plainTransformer } from "./plain/transformer.ts";
import { poolOf } from "./wasm/pools.ts";
import { wasmTransformer } from "./wasm/transformer.ts";

export interface FixedProductOptions {
  /** Added to every row: a vector of m. @default 0 */
  bias?: Matrix;
  /** Added to the product (n, m); may be C itself. @default 0 */
  plus?: Matrix;
}

/** The forward pass of a transformer, on f32 matrices. */
export interface Transformer {
  /**
   * Rows of X (n, k) in 16-bit fixed point: step_i = max(‖x_i‖/(46300 − ½√k), max_j |x_ij|/32767), so that no inner product of two rows
   * leaves 32 bits. A row whose numbers are all below 1e-32 counts as zero.
   */
  quantize(out: FixedRows, X: Matrix): void;
  /** C (n, m) = A·Bᵀ + 1·biasᵀ + plus for A (n, k) and B (m, k) in fixed point; the sums over k are exact. O(n·m·k). */
  multiplyFixed(C: Matrix, A: FixedRows, B: FixedRows, options?: FixedProductOptions): void;
  /** out_ij = (x_ij − mean_i)/√(variance_i + ε)·gain_j + bias_j; out may be X. ε is 1e-12 when absent. */
  layerNorm(out: Matrix, X: Matrix, gain: Matrix, bias: Matrix, epsilon?: number): void;
  /** out = x·Φ(x), Φ the normal distribution function; out may be X. */
  gelu(out: Matrix, X: Matrix): void;
  /**
   * out (n, w) = softmax(QKᵀ/√d)·V for each head of d = w/heads columns (a multiple of 4), QKV (n, 3w) = [Q K V]. Rows starts_i …
   * starts_{i+1} are one text, and see each other only. Both products are in fixed point. O(Σ length²·w).
   */
  attention(out: Matrix, QKV: Matrix, heads: number, starts: Indices): void;
}

/** These operations on the memory, and with the threads, of an engine. */
export function transformerOf(engine: Engine): Transformer {
  const scope = engine.scope();
  const pool = poolOf(scope.matrix(0, 0).storage);
  scope.close();
  return pool ? wasmTransformer(pool) : plainTransformer;
}
