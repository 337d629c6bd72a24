type CFunction = (...args: any[]) => any;
export interface SharedLibrary {
    func(declaration: string): CFunction;
    /** Address of a symbol. Throws when there is none. */
    symbol(name: string): bigint;
    unload(): void;
}
export interface Ffi {
    /** `null` is the program itself. */
    load(path: string | null): SharedLibrary;
    /** Address of a view's first byte. */
    address(view: ArrayBufferView): bigint;
    decode: {
        string(address: bigint): string;
    };
}
/** koffi, or an error that says why not. `fetch` is replaced in tests. */
export declare function loadFfi(fetch?: () => Promise<{
    default: Ffi;
}>): Promise<Ffi>;
export {};
//# sourceMappingURL=ffi.d.ts.map