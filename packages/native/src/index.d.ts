/** Nearkin's optional engine for Node: products and factorisations by the system's OpenBLAS. */
export { openBlas } from "./accelerator.ts";
export { OpenBlasUnavailableError } from "./errors.ts";
export { findOpenBlas, loadOpenBlas, type OpenBlasReport } from "./library.ts";
export type { OpenBlas, Routines } from "./routines.ts";
//# sourceMappingURL=index.d.ts.map