import { checkSparseGram } from "../contract.ts";
import type { Grams } from "../engine.ts";

export const grams: Grams = {
  // Row by row of A: y = a_u·X, then out += a_uᵀ·y, with a_ui = r_u·s_ui·c_i
  sparseGram(out, S, X, options = {}) {
    checkSparseGram(out, S, X, options);
    const { rowScale, columnScale } = options;
    const { columns, values } = S;
    const start = (u: number) => S.starts.data[S.starts.offset + u];
    const entry = (u: number, e: number): [item: number, a: number] => {
      const i = columns.data[columns.offset + e];
      const r = rowScale ? rowScale.data[rowScale.offset + u] : 1;
      const c = columnScale ? columnScale.data[columnScale.offset + i] : 1;
      return [i, r * (values ? values.data[values.offset + e] : 1) * c];
    };
    const x = X.read();
    const sums = new Float64Array(x.length); // (v, d)
    const y = new Float64Array(X.cols);
    for (let u = 0; u < S.rows; u++) {
      y.fill(0);
      for (let e = start(u); e < start(u + 1); e++) {
        const [i, a] = entry(u, e);
        for (let j = 0; j < X.cols; j++) y[j] += a * x[i * X.cols + j];
      }
      for (let e = start(u); e < start(u + 1); e++) {
        const [i, a] = entry(u, e);
        for (let j = 0; j < X.cols; j++) sums[i * X.cols + j] += a * y[j];
      }
    }
    out.write(sums);
  },
};
