import { checkPrecision, checkSize, type Scope } from "../arena.ts";
import { hostIndices, hostMatrix, type Indices, type Lease, type Matrix, type Precision } from "../matrix.ts";

/** A scope on the JavaScript heap: the collector frees what it held, but its handles die with it as everywhere. */
export function plainScope(): Scope {
  const lease: Lease = { generation: 0 };
  const own = <T extends Matrix | Indices>(handle: T): T => {
    handle.lease = lease;
    handle.generation = 0;
    return handle;
  };
  const matrix = (rows: number, cols: number, precision: Precision = "f64"): Matrix => {
    checkSize("matrix: rows", rows);
    checkSize("matrix: cols", cols);
    checkPrecision(precision);
    const array = precision === "f32" ? new Float32Array(rows * cols) : new Float64Array(rows * cols);
    return own(hostMatrix(array, rows, cols));
  };
  const close = () => {
    lease.generation = 1;
  };
  return {
    matrix,
    zeros: matrix,
    indices(length) {
      checkSize("indices: length", length);
      return own(hostIndices(new Int32Array(length)));
    },
    close,
    [Symbol.dispose]: close,
  };
}
