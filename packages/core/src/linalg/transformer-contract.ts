// What every engine demands of the arguments of a transformer's forward pass: f32 matrices, and rows in fixed point that fit.
import { NearkinError } from "../errors.ts";
import { checkDistinct, checkSameShape, fail } from "./contract.ts";
import type { FixedRows } from "./fixed.ts";
import { checkAlive, checkRowMajor, checkShape, checkVector, type Indices, type Matrix } from "./matrix.ts";
import type { FixedProductOptions } from "./transformer.ts";

function checkFixed(name: string, fixed: FixedRows, rows: number, cols: number): void {
  checkAlive(name, fixed.words);
  checkAlive(name, fixed.steps);
  if (fixed.rows !== rows || fixed.cols !== cols) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `${name}: expected (${rows}, ${cols}), got (${fixed.rows}, ${fixed.cols})`,
    );
  }
}

function checkSingle(name: string, m: Matrix): void {
  if (m.precision !== "f32") fail(`${name}: takes f32 matrices, got ${m.precision}; convert() makes one`);
}

export function checkQuantize(out: FixedRows, X: Matrix): void {
  checkSingle("quantize", X);
  checkAlive("quantize: X", X);
  checkRowMajor("quantize: X", X);
  checkFixed("quantize: out", out, X.rows, X.cols);
}

export function checkMultiplyFixed(C: Matrix, A: FixedRows, B: FixedRows, options: FixedProductOptions): void {
  const { bias, plus } = options;
  checkFixed("multiplyFixed: A", A, A.rows, A.cols);
  checkFixed("multiplyFixed: B", B, B.rows, A.cols);
  checkSingle("multiplyFixed", C);
  checkShape("multiplyFixed: C", C, A.rows, B.rows);
  checkRowMajor("multiplyFixed: C", C);
  if (bias) {
    checkVector("multiplyFixed: bias", bias, B.rows, "f32");
    checkDistinct("multiplyFixed: C", C, bias);
  }
  if (plus) checkSameShape("multiplyFixed: plus", C, plus);
}

export function checkLayerNorm(out: Matrix, X: Matrix, gain: Matrix, bias: Matrix, epsilon: number): void {
  checkSingle("layerNorm", X);
  checkSameShape("layerNorm", X, out);
  checkVector("layerNorm: gain", gain, X.cols, "f32");
  checkVector("layerNorm: bias", bias, X.cols, "f32");
  checkDistinct("layerNorm", out, gain);
  checkDistinct("layerNorm", out, bias);
  if (!(epsilon >= 0)) fail(`layerNorm: epsilon must be at least 0, got ${epsilon}`);
}

export function checkGelu(out: Matrix, X: Matrix): void {
  checkSingle("gelu", X);
  checkSameShape("gelu", X, out);
}

export function checkAttention(out: Matrix, QKV: Matrix, heads: number, starts: Indices): void {
  checkSingle("attention", QKV);
  checkAlive("attention: QKV", QKV);
  checkRowMajor("attention: QKV", QKV);
  const width = QKV.cols / 3;
  if (!Number.isInteger(heads) || heads < 1 || !Number.isInteger(width / heads) || (width / heads) % 4 !== 0) {
    fail(`attention: QKV has three times heads·d columns, d a multiple of 4; got ${QKV.cols} for ${heads} heads`);
  }
  checkShape("attention: out", out, QKV.rows, width, "f32");
  checkRowMajor("attention: out", out);
  checkDistinct("attention: out", out, QKV);
  checkAlive("attention: starts", starts);
  const { data, offset, length } = starts;
  if (length < 1 || data[offset] !== 0 || data[offset + length - 1] !== QKV.rows) {
    fail(`attention: starts must begin at 0 and end at ${QKV.rows}, the rows of QKV`);
  }
  for (let i = 1; i < length; i++) {
    if (data[offset + i] < data[offset + i - 1])
      fail(`attention: starts must never fall, got ${data[offset + i]} at ${i}`);
  }
}
