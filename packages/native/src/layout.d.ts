import type { Matrix } from "@nearkin/core";
/**
 * The leading dimension: positive when rows are contiguous, negative when columns are (BLAS then reads the transpose), 0 when
 * BLAS cannot read the matrix. The stride between rows means nothing when there is one row only, and likewise for columns.
 */
export declare function leadingDimension(m: Matrix): number;
/** The same for a matrix that must have contiguous rows; 0 when it has not. */
export declare function rowMajorDimension(m: Matrix): number;
//# sourceMappingURL=layout.d.ts.map