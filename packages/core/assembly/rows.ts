// Rows by index: the embedding table's gather and scatter-add, and their sparse form (a row as a weighted bag of table rows).
// Sums into a shared row run over entries in their given order; workers share columns, never entries, so the order holds.
import { int, num, ptr } from "./job";
import { at, lanes } from "./simd";

// y += s·x over n elements
@inline
function add<T>(n: i32, s: T, x: usize, y: usize): void {
  const sv = v128.splat<T>(s);
  let j = 0;
  for (; j + lanes<T>() <= n; j += lanes<T>()) {
    v128.store(y, v128.add<T>(v128.load(y), v128.mul<T>(sv, v128.load(x))));
    x += 16;
    y += 16;
  }
  for (; j < n; j++) {
    store<T>(y, load<T>(y) + s * load<T>(x));
    x += sizeof<T>();
    y += sizeof<T>();
  }
}

// out_i = table[index_i]. Fields: rows cols · out ldo · table ldt · indices
function gatherJob<T>(job: usize): void {
  const rows = int(job, 0), bytes = <usize>int(job, 1) * sizeof<T>();
  for (let i = 0; i < rows; i++) {
    const r = load<i32>(ptr(job, 6) + (<usize>i << 2));
    memory.copy(at<T>(ptr(job, 2), i * int(job, 3)), at<T>(ptr(job, 4), r * int(job, 5)), bytes);
  }
}
export function gather_f32(job: usize): void {
  gatherJob<f32>(job);
}
export function gather_f64(job: usize): void {
  gatherJob<f64>(job);
}

// table[index_i] += s·x_i for the columns given by the addresses. Fields: rows cols · table ldt · x ldx · indices · s
function scatterJob<T>(job: usize): void {
  const rows = int(job, 0), n = int(job, 1), s = <T>num(job, 7);
  for (let i = 0; i < rows; i++) {
    const r = load<i32>(ptr(job, 6) + (<usize>i << 2));
    add<T>(n, s, at<T>(ptr(job, 4), i * int(job, 5)), at<T>(ptr(job, 2), r * int(job, 3)));
  }
}
export function scatter_f32(job: usize): void {
  scatterJob<f32>(job);
}
export function scatter_f64(job: usize): void {
  scatterJob<f64>(job);
}

// out_i = Σ_{e in row i} value_e·W[column_e] (value 1 where its address is 0).
// Fields: rows cols · out ldo · starts (i32, rows + 1) · columns (i32) · values · W ldw
function sparseJob<T>(job: usize): void {
  const rows = int(job, 0), n = int(job, 1), starts = ptr(job, 4), columns = ptr(job, 5), values = ptr(job, 6);
  for (let i = 0; i < rows; i++) {
    const y = at<T>(ptr(job, 2), i * int(job, 3)), end = load<i32>(starts + (<usize>(i + 1) << 2));
    memory.fill(y, 0, <usize>n * sizeof<T>());
    for (let e = load<i32>(starts + (<usize>i << 2)); e < end; e++) {
      const r = load<i32>(columns + (<usize>e << 2));
      add<T>(n, values ? load<T>(at<T>(values, e)) : <T>1, at<T>(ptr(job, 7), r * int(job, 8)), y);
    }
  }
}
export function sparse_f32(job: usize): void {
  sparseJob<f32>(job);
}
export function sparse_f64(job: usize): void {
  sparseJob<f64>(job);
}

// dW[column_e] += value_e·d_i for the columns given by the addresses. Fields: rows cols · d ldd · starts · columns · values · dW ldw
function sparseBackwardJob<T>(job: usize): void {
  const rows = int(job, 0), n = int(job, 1), starts = ptr(job, 4), columns = ptr(job, 5), values = ptr(job, 6);
  for (let i = 0; i < rows; i++) {
    const d = at<T>(ptr(job, 2), i * int(job, 3)), end = load<i32>(starts + (<usize>(i + 1) << 2));
    for (let e = load<i32>(starts + (<usize>i << 2)); e < end; e++) {
      const r = load<i32>(columns + (<usize>e << 2));
      add<T>(n, values ? load<T>(at<T>(values, e)) : <T>1, d, at<T>(ptr(job, 7), r * int(job, 8)));
    }
  }
}
export function sparse_backward_f32(job: usize): void {
  sparseBackwardJob<f32>(job);
}
export function sparse_backward_f64(job: usize): void {
  sparseBackwardJob<f64>(job);
}
