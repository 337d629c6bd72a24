// Every kernel of the numerical core. No statics, no globals, no allocation: any number of instances may share one memory.
import { NB, WORKSPACE } from "./cholesky";
import { MR } from "./gemm";

export { attention } from "./attention";
export {
  cholesky_diagonal_f32, cholesky_diagonal_f64, cholesky_panel_f32, cholesky_panel_f64,
  cholesky_trailing_f32, cholesky_trailing_f64, cholesky_update_f32, cholesky_update_f64, lower_f32, lower_f64,
} from "./cholesky";
export { convert_f32_f32, convert_f32_f64, convert_f64_f32, convert_f64_f64 } from "./convert";
export { dropout_f32, dropout_f64 } from "./dropout";
export {
  activate_backward_f32, activate_backward_f64, activate_f32, activate_f64, adamw_f32, adamw_f64,
  column_sums_f32, column_sums_f64, row_norms_f32, row_norms_f64, scale_columns_f32, scale_columns_f64,
  scale_rows_f32, scale_rows_f64,
} from "./elementwise";
export { multiply_fixed, quantize } from "./fixed";
export { gelu, layer_norm } from "./layer";
export { gemm_f32, gemm_f64, mirror_f32, mirror_f64 } from "./gemm";
export {
  kernel_backward_f32, kernel_backward_f64, kernel_chain_f32, kernel_chain_f64, kernel_forward_f32, kernel_forward_f64,
} from "./kernel";
export { pairs_backward_f32, pairs_backward_f64, pairs_f32, pairs_f64 } from "./pairs";
export { random_f32, random_f64 } from "./random";
export {
  gather_f32, gather_f64, scatter_f32, scatter_f64,
  sparse_backward_f32, sparse_backward_f64, sparse_f32, sparse_f64,
} from "./rows";
export {
  gemv_f32, gemv_f64, gemv_transposed_f32, gemv_transposed_f64, read_bytes, scan_f32, scan_f64,
} from "./scan";
export { lane_dots, scan_batch, scan_batch_end } from "./scan-batch";
export { softmax_f32, softmax_f64 } from "./softmax";
export {
  panel_pack_f32, panel_pack_f64, panel_unpack_f32, panel_unpack_f64, sparse_gram_f32, sparse_gram_f64,
} from "./sparse-gram";
export {
  cross_f32, cross_f64, inverse_f32, inverse_f64, solve_f32, solve_f64,
} from "./triangular";

/** Bytes of private workspace each worker brings. */
export function workspace_bytes(): i32 {
  return WORKSPACE;
}
/** Rows of the register tile: where splits by rows should fall. */
export function tile_rows(): i32 {
  return MR;
}
/** Columns of a block of Cholesky and of the triangular solves. */
export function block_size(): i32 {
  return NB;
}
