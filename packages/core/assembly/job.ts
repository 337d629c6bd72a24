// A job is a row of doubles in linear memory, written by the host and read by a kernel on whichever worker runs it.
// Passing one pointer instead of twenty arguments keeps the worker's loop free of marshalling and the host free of garbage.

/** The k-th field as an address. */
export function ptr(job: usize, k: i32): usize {
  return <usize>(<u32>load<f64>(job + ((<usize>k) << 3)));
}

/** The k-th field as an integer: a size, a stride in elements, a flag. */
export function int(job: usize, k: i32): i32 {
  return <i32>load<f64>(job + ((<usize>k) << 3));
}

/** The k-th field as a number. */
export function num(job: usize, k: i32): f64 {
  return load<f64>(job + ((<usize>k) << 3));
}
