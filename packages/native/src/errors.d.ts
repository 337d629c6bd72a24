import { NearkinError } from "@nearkin/core";
/** OpenBLAS cannot be used here. Code ENGINE_UNAVAILABLE; the message is the reason and the remedy. */
export declare class OpenBlasUnavailableError extends NearkinError {
    /** What is wrong. */
    readonly reason: string;
    /** What would help. */
    readonly remedy: string;
    constructor(reason: string, remedy: string, options?: ErrorOptions);
}
//# sourceMappingURL=errors.d.ts.map