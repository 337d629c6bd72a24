// GELU(x) = x·Φ(x), Φ the normal distribution function (Hendrycks & Gimpel, 2016), and LayerNorm (Ba, Kiros & Hinton, 2016), on f32.
import { int, num, ptr } from "./job";
import { fma, loadPart, storePart, sumLanes } from "./simd";

// Φ(x) = ½ + x·P(x²)/Q(x²) for |x| < 5.5, off by at most 7e-9 (least squares, reweighted towards the least maximum); beyond, 0 or 1.
@inline
function gelu4(x: v128): v128 {
  const z = f32x4.mul(x, x), half = f32x4.splat(0.5);
  let p = fma<f32>(f32x4.splat(2.2751250199239226e-8), z, f32x4.splat(6.351698407715087e-6));
  let q = fma<f32>(f32x4.splat(1.197527762075878e-6), z, f32x4.splat(7.363440422181957e-5));
  p = fma<f32>(p, z, f32x4.splat(1.6878744905431638e-4));
  q = fma<f32>(q, z, f32x4.splat(1.884229765145278e-3));
  p = fma<f32>(p, z, f32x4.splat(4.677027589982104e-3));
  q = fma<f32>(q, z, f32x4.splat(2.8643788905122487e-2));
  p = fma<f32>(p, z, f32x4.splat(3.384907128814514e-2));
  q = fma<f32>(q, z, f32x4.splat(0.25151296111102533));
  p = fma<f32>(p, z, f32x4.splat(0.398942234895342));
  q = fma<f32>(q, z, f32x4.splat(1));
  const near = f32x4.mul(x, f32x4.add(half, f32x4.div(f32x4.mul(x, p), q)));
  const isFar = f32x4.ge(f32x4.abs(x), f32x4.splat(5.5)), far = f32x4.max(x, f32x4.splat(0));
  return v128.bitselect(far, near, isFar);
}

// Fields: rows cols · x ldx · y ldy
export function gelu(job: usize): void {
  const rows = int(job, 0), n = int(job, 1);
  for (let i = 0; i < rows; i++) {
    let x = ptr(job, 2) + (<usize>(i * int(job, 3)) << 2), y = ptr(job, 4) + (<usize>(i * int(job, 5)) << 2), j = 0;
    for (; j + 4 <= n; j += 4) {
      v128.store(y, gelu4(v128.load(x)));
      x += 16;
      y += 16;
    }
    if (j < n) storePart<f32>(y, gelu4(loadPart<f32>(x, n - j)), n - j);
  }
}

// y = (x − mean)/√(variance + ε)·gain + bias, row by row. Fields: rows cols · x ldx · gain bias · y ldy · ε
export function layer_norm(job: usize): void {
  const rows = int(job, 0), n = int(job, 1), gain = ptr(job, 4), bias = ptr(job, 5), whole = n & -4, rest = n & 3;
  for (let i = 0; i < rows; i++) {
    const x = ptr(job, 2) + (<usize>(i * int(job, 3)) << 2), y = ptr(job, 6) + (<usize>(i * int(job, 7)) << 2), tail = <usize>whole << 2;
    let sum = f32x4.splat(0), j: usize = 0;
    for (; j < tail; j += 16) sum = f32x4.add(sum, v128.load(x + j));
    if (rest) sum = f32x4.add(sum, loadPart<f32>(x + tail, rest));
    const mean = sumLanes<f32>(sum) / <f32>n, centre = f32x4.splat(mean);
    let squares = f32x4.splat(0);
    for (j = 0; j < tail; j += 16) {
      const d = f32x4.sub(v128.load(x + j), centre);
      squares = fma<f32>(d, d, squares);
    }
    let variance = sumLanes<f32>(squares);
    for (let k = 0; k < rest; k++) {
      const d = load<f32>(x + tail + (<usize>k << 2)) - mean;
      variance += d * d;
    }
    const scale = f32x4.splat(<f32>(1 / sqrt<f64>(<f64>(variance / <f32>n) + num(job, 8))));
    for (j = 0; j < tail; j += 16) {
      v128.store(y + j, fma<f32>(f32x4.mul(f32x4.sub(v128.load(x + j), centre), scale), v128.load(gain + j), v128.load(bias + j)));
    }
    if (!rest) continue;
    const v = f32x4.mul(f32x4.sub(loadPart<f32>(x + tail, rest), centre), scale);
    storePart<f32>(y + tail, fma<f32>(v, loadPart<f32>(gain + tail, rest), loadPart<f32>(bias + tail, rest)), rest);
  }
}
