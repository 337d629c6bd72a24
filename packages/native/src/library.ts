// Where OpenBLAS is, whether it may be called, and what to say when it may not.
import { realpathSync } from "node:fs";
import { OpenBlasUnavailableError } from "./errors.ts";
import { type Ffi, loadFfi, type SharedLibrary } from "./ffi.ts";
import { bindRoutines, type OpenBlas } from "./routines.ts";

/** Whether OpenBLAS can be used here. */
export type OpenBlasReport =
  | ({ available: true } & Pick<OpenBlas, "path" | "version" | "core" | "config">)
  | { available: false; reason: string; remedy: string };

/** The usual names: what the dynamic linker knows, and where package managers put it out of the linker's sight. */
const USUAL: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ["libopenblas.so.0", "libopenblasp.so.0", "libopenblas.so.3", "libopenblas.so"],
  darwin: [
    "/opt/homebrew/opt/openblas/lib/libopenblas.dylib",
    "/usr/local/opt/openblas/lib/libopenblas.dylib",
    "/opt/local/lib/libopenblas.dylib",
    "libopenblas.dylib",
  ],
  win32: ["libopenblas.dll", "openblas.dll"],
};

const INSTALL: Partial<Record<NodeJS.Platform, string>> = {
  linux:
    "apt-get install libopenblas0-pthread (Debian, Ubuntu), dnf install openblas-threads (Fedora), apk add openblas (Alpine)",
  darwin: "brew install openblas",
  win32: "put libopenblas.dll, from the releases of OpenBLAS, into a folder of PATH",
};

interface Surroundings {
  env: Record<string, string | undefined>;
  platform: NodeJS.Platform;
}

const loaded = new Map<string, OpenBlas>(); // by NEARKIN_OPENBLAS

/**
 * Loads OpenBLAS: the file that `NEARKIN_OPENBLAS` names, and only that; without it, what the system has under its usual names.
 * Throws OpenBlasUnavailableError. The raw binding is for benchmarks; engines use `openBlas`.
 */
export async function loadOpenBlas(): Promise<OpenBlas> {
  const key = process.env.NEARKIN_OPENBLAS ?? "";
  const ffi = await loadFfi();
  let blas = loaded.get(key); // after the wait: two engines that open at once share one binding
  if (!blas) {
    blas = loadWith(ffi, process);
    loaded.set(key, blas);
  }
  return blas;
}

/**
 * Says whether OpenBLAS can be used and from where, or why not and what would help.
 *
 * @example
 * const report = await findOpenBlas();
 * report.available ? report.path : `${report.reason}; ${report.remedy}`
 */
export async function findOpenBlas(): Promise<OpenBlasReport> {
  try {
    const { path, version, core, config } = await loadOpenBlas();
    return { available: true, path, version, core, config };
  } catch (error) {
    if (!(error instanceof OpenBlasUnavailableError)) throw error;
    return { available: false, reason: error.reason, remedy: error.remedy };
  }
}

/** The first library that may be used. */
export function loadWith(ffi: Ffi, { env, platform }: Surroundings): OpenBlas {
  const named = env.NEARKIN_OPENBLAS;
  if (named) {
    try {
      return open(ffi, named);
    } catch (cause) {
      throw new OpenBlasUnavailableError(
        `NEARKIN_OPENBLAS names ${named}, but ${(cause as Error).message}`,
        "correct the variable, or unset it to use the system's OpenBLAS",
        { cause },
      );
    }
  }
  const names = USUAL[platform] ?? [];
  const remedy = `${INSTALL[platform] ?? "install OpenBLAS"}, or set NEARKIN_OPENBLAS to the library's path`;
  let refused: Refused | undefined;
  for (const name of names) {
    try {
      return open(ffi, name);
    } catch (error) {
      if (error instanceof Refused) refused ??= error;
    }
  }
  throw refused
    ? new OpenBlasUnavailableError(`OpenBLAS cannot be used: ${refused.message}`, remedy, { cause: refused })
    : new OpenBlasUnavailableError(`OpenBLAS was not found (${names.join(", ") || platform})`, remedy);
}

/** It loads, but must not be called. */
class Refused extends Error {}

function open(ffi: Ffi, name: string): OpenBlas {
  let library: SharedLibrary;
  try {
    library = ffi.load(name);
  } catch (cause) {
    throw new Error(`it does not load (${(cause as Error).message})`, { cause });
  }
  try {
    return bind(ffi, library, name);
  } catch (error) {
    library.unload();
    throw error;
  }
}

function bind(ffi: Ffi, library: SharedLibrary, name: string): OpenBlas {
  const { routines, describe, describeCore, set, get } = functionsOf(ffi, library, name);
  const config = describe().trim();
  if (/\bUSE64BITINT\b/.test(config)) {
    throw new Refused(`${name} is built for 64-bit integers (USE64BITINT); a build for 32-bit ones is needed`);
  }
  let threads = get();
  return {
    ...routines,
    path: pathOf(ffi, library) ?? name,
    version: /OpenBLAS (\S+)/.exec(config)?.[1] ?? "of unknown version",
    core: describeCore(),
    config,
    get threads() {
      return threads;
    },
    setThreads(count) {
      set(count);
      threads = get();
    },
  };
}

function functionsOf(ffi: Ffi, library: SharedLibrary, name: string) {
  try {
    return {
      describe: library.func("const char *openblas_get_config()") as () => string,
      describeCore: library.func("const char *openblas_get_corename()") as () => string,
      set: library.func("void openblas_set_num_threads(int)") as (count: number) => void,
      get: library.func("int openblas_get_num_threads()") as () => number,
      routines: bindRoutines(ffi, library),
    };
  } catch (cause) {
    // Names with a suffix (cblas_dgemm64_) or a prefix (scipy_cblas_dgemm) belong to other interfaces and are not tried.
    throw new Refused(
      `${name} is no OpenBLAS with CBLAS, LAPACK and 32-bit integers under the usual names (${(cause as Error).message})`,
      { cause },
    );
  }
}

/** The file behind a name that the linker resolved. Windows has no dladdr: there the name must do. */
function pathOf(ffi: Ffi, library: SharedLibrary): string | undefined {
  try {
    const dladdr = ffi.load(null).func("int dladdr(uintptr_t, uintptr_t)");
    const info = new BigUint64Array(new ArrayBuffer(32)); // Dl_info: the address of the file's name comes first
    if (dladdr(library.symbol("cblas_sgemm"), ffi.address(info)) === 0) return undefined;
    return realpathSync(ffi.decode.string(info[0]));
  } catch {
    return undefined;
  }
}
