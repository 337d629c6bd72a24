// In-batch softmax with cross-entropy: row i's logits are x_ij − offset_j (the logQ correction) and its answer is column
// label_i. One sweep for the maximum, one for the exponentials, one for the gradient.
import { int, num, ptr } from "./job";
import { at, lanes, loadOne, maxLanes, storeOne, sumLanes } from "./simd";
import { exp, log } from "./transcendental";

// loss_i = log Σ_j e^{x_ij − o_j} − (x_iy − o_y);  d_ij = scale·(softmax_ij − [j = y])
// Fields: rows cols · x ldx · offsets (0 = none) · labels (i32) · d ldd (0 = not wanted) · loss · scale
function softmaxJob<T>(job: usize): void {
  const rows = int(job, 0), n = int(job, 1), ldx = int(job, 3), o = ptr(job, 4), D = ptr(job, 6), ldd = int(job, 7);
  const scale = <T>num(job, 9), W = lanes<T>(), zero = v128.splat<T>(<T>0);
  for (let i = 0; i < rows; i++) {
    const x = at<T>(ptr(job, 2), i * ldx), label = load<i32>(ptr(job, 5) + (<usize>i << 2)), d = D ? at<T>(D, i * ldd) : 0;
    let tops = v128.splat<T>(-<T>Infinity), j = 0; // pmax passes over NaN
    for (; j + W <= n; j += W) tops = v128.pmax<T>(tops, v128.sub<T>(v128.load(at<T>(x, j)), o ? v128.load(at<T>(o, j)) : zero));
    for (; j < n; j++) tops = v128.pmax<T>(tops, v128.sub<T>(v128.load_splat<T>(at<T>(x, j)), o ? v128.load_splat<T>(at<T>(o, j)) : zero));
    const top = maxLanes<T>(tops);
    const answer = load<T>(at<T>(x, label)) - (o ? load<T>(at<T>(o, label)) : <T>0);
    const shift = v128.splat<T>(top);
    let sum = zero;
    for (j = 0; j + W <= n; j += W) {
      const e = exp<T>(v128.sub<T>(v128.sub<T>(v128.load(at<T>(x, j)), o ? v128.load(at<T>(o, j)) : zero), shift));
      if (d) v128.store(at<T>(d, j), e);
      sum = v128.add<T>(sum, e);
    }
    let total = sumLanes<T>(sum);
    for (; j < n; j++) {
      const e = exp<T>(v128.sub<T>(v128.sub<T>(loadOne<T>(at<T>(x, j)), o ? loadOne<T>(at<T>(o, j)) : zero), shift));
      if (d) storeOne<T>(at<T>(d, j), e);
      total += v128.extract_lane<T>(e, 0);
    }
    store<T>(at<T>(ptr(job, 8), i), <T>(log(<f64>total) + <f64>(top - answer)));
    if (d) {
      const r = scale / total, rv = v128.splat<T>(r);
      for (j = 0; j + W <= n; j += W) v128.store(at<T>(d, j), v128.mul<T>(v128.load(at<T>(d, j)), rv));
      for (; j < n; j++) store<T>(at<T>(d, j), load<T>(at<T>(d, j)) * r);
      store<T>(at<T>(d, label), load<T>(at<T>(d, label)) - scale);
    }
  }
}
export function softmax_f32(job: usize): void {
  softmaxJob<f32>(job);
}
export function softmax_f64(job: usize): void {
  softmaxJob<f64>(job);
}
