import { type Accelerate } from "@nearkin/core";
/**
 * The system's OpenBLAS for an engine's products and factorisations, on the engine's own memory: nothing is copied.
 * It uses as many threads as the engine. Throws OpenBlasUnavailableError.
 *
 * @example
 * const engine = await createEngine({ engine: "native", native: openBlas });
 * engine.info.library // => "OpenBLAS 0.3.21 (SkylakeX)"
 */
export declare const openBlas: Accelerate;
//# sourceMappingURL=accelerator.d.ts.map