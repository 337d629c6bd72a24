/** From here on the tail's continued fraction is the better of the two. */
const FAR = 3;

/**
 * Φ(x), the normal distribution function, to some units in the last place: by the series Φ(x) = ½ + φ(x)·Σ x²ᵏ⁺¹/(1·3·…·(2k+1)) near 0,
 * and by the continued fraction 1 − Φ(x) = φ(x)/(x + 1/(x + 2/(x + 3/(x + …)))) in the tails (Laplace, 1805).
 */
export function normalDistribution(x: number): number {
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  if (Math.abs(x) < FAR) {
    let term = x;
    let sum = x;
    for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(sum); k++) {
      term *= (x * x) / (2 * k + 1);
      sum += term;
    }
    return 0.5 + density * sum;
  }
  const z = Math.abs(x);
  let fraction = z;
  for (let k = 120; k >= 1; k--) fraction = z + k / fraction;
  const tail = density / fraction;
  return x < 0 ? tail : 1 - tail;
}
