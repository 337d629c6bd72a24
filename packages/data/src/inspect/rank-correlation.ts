// Spearman's ρ: Pearson's correlation of the ranks, equal values sharing the mean of their ranks. It sees any monotone relation, so that a
// mean rating written in percent, or as a logarithm, is still found to be one.

/** ρ of two columns of equal length; NaN where one of them is constant. */
export function rankCorrelation(x: Float64Array, y: Float64Array): number {
  const [a, b] = [ranks(x), ranks(y)];
  const mean = (x.length - 1) / 2;
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) ** 2;
    bb += (b[i] - mean) ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}

function ranks(values: Float64Array): Float64Array {
  const order = Uint32Array.from(values.keys()).sort((i, j) => values[i] - values[j]);
  const out = new Float64Array(values.length);
  for (let first = 0, next = 0; first < order.length; first = next) {
    while (next < order.length && values[order[next]] === values[order[first]]) next++;
    for (let k = first; k < next; k++) out[order[k]] = (first + next - 1) / 2;
  }
  return out;
}
