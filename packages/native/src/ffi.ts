// The little of koffi that is used, and how it is fetched: on demand, so that importing this package never fails.
import { OpenBlasUnavailableError } from "./errors.ts";

// biome-ignore lint/suspicious/noExplicitAny: a C function has the type its declaration gives it
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
  decode: { string(address: bigint): string };
}

/** koffi, or an error that says why not. `fetch` is replaced in tests. */
export async function loadFfi(fetch: () => Promise<{ default: Ffi }> = () => import("koffi")): Promise<Ffi> {
  try {
    return (await fetch()).default;
  } catch (cause) {
    const [reason] = (cause as Error).message.split("\n");
    throw new OpenBlasUnavailableError(
      `koffi, through which OpenBLAS is called, does not load (${reason})`,
      "reinstall with npm install koffi; its binary is an optional dependency, so without --omit=optional",
      { cause },
    );
  }
}
