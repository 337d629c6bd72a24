// The matrices the contenders work on.

/** A well-conditioned covariance, n × n. */
export function spd(n: number): Float64Array {
  const A = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) A[i * n + j] = Math.exp(-Math.abs(i - j) / 10) + (i === j ? 1 : 0);
  }
  return A;
}
