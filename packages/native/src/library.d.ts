import { type Ffi } from "./ffi.ts";
import { type OpenBlas } from "./routines.ts";
/** Whether OpenBLAS can be used here. */
export type OpenBlasReport = ({
    available: true;
} & Pick<OpenBlas, "path" | "version" | "core" | "config">) | {
    available: false;
    reason: string;
    remedy: string;
};
interface Surroundings {
    env: Record<string, string | undefined>;
    platform: NodeJS.Platform;
}
/**
 * Loads OpenBLAS: the file that `NEARKIN_OPENBLAS` names, and only that; without it, what the system has under its usual names.
 * Throws OpenBlasUnavailableError. The raw binding is for benchmarks; engines use `openBlas`.
 */
export declare function loadOpenBlas(): Promise<OpenBlas>;
/**
 * Says whether OpenBLAS can be used and from where, or why not and what would help.
 *
 * @example
 * const report = await findOpenBlas();
 * report.available ? report.path : `${report.reason}; ${report.remedy}`
 */
export declare function findOpenBlas(): Promise<OpenBlasReport>;
/** The first library that may be used. */
export declare function loadWith(ffi: Ffi, { env, platform }: Surroundings): OpenBlas;
export {};
//# sourceMappingURL=library.d.ts.map