import { afterEach, expect, test, vi } from "vitest";
import { OpenBlasUnavailableError } from "./errors.ts";
import { type Ffi, loadFfi, type SharedLibrary } from "./ffi.ts";
import { findOpenBlas, loadOpenBlas, loadWith } from "./library.ts";
import { openBlasAvailable } from "./testing/available.ts";

const available = await openBlasAvailable();

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A machine with these libraries: each either the configuration it reports, or `null` for one without OpenBLAS's functions. */
function machine(libraries: Record<string, string | null>) {
  const tried: string[] = [];
  const unloaded: string[] = [];
  const load = (path: string | null): SharedLibrary => {
    if (path === null) throw new Error("no program");
    tried.push(path);
    const config = libraries[path];
    if (config === undefined) throw new Error(`${path}: no such file`);
    return {
      func(declaration) {
        if (config === null) throw new Error(`no symbol in ${path}`);
        if (declaration.includes("get_config")) return () => config;
        if (declaration.includes("get_corename")) return () => "Haswell";
        return () => 1;
      },
      symbol: () => 0n,
      unload: () => unloaded.push(path),
    };
  };
  const ffi: Ffi = { load, address: () => 0n, decode: { string: () => "" } };
  return { ffi, tried, unloaded };
}

const GOOD = "OpenBLAS 0.3.30 DYNAMIC_ARCH NO_AFFINITY Haswell MAX_THREADS=64 ";

function failure(call: () => unknown): { code: string; reason: string; remedy: string } {
  try {
    call();
  } catch (error) {
    if (!(error instanceof OpenBlasUnavailableError)) throw error;
    expect(error.message).toBe(`${error.reason}; ${error.remedy}`);
    return { code: error.code, reason: error.reason, remedy: error.remedy };
  }
  throw new Error("expected an error");
}

test("the usual names, in order", () => {
  const { ffi, tried } = machine({ "libopenblas.so": GOOD });
  expect(loadWith(ffi, { env: {}, platform: "linux" })).toMatchObject({
    path: "libopenblas.so",
    version: "0.3.30",
    core: "Haswell",
    config: GOOD.trim(),
  });
  expect(tried).toEqual(["libopenblas.so.0", "libopenblasp.so.0", "libopenblas.so.3", "libopenblas.so"]);
  const mac = "/opt/homebrew/opt/openblas/lib/libopenblas.dylib";
  expect(loadWith(machine({ [mac]: GOOD }).ffi, { env: {}, platform: "darwin" }).path).toBe(mac);
});

test("NEARKIN_OPENBLAS is the only place looked at", () => {
  const { ffi, tried } = machine({ "libopenblas.so.0": GOOD, mine: GOOD });
  expect(loadWith(ffi, { env: { NEARKIN_OPENBLAS: "mine" }, platform: "linux" }).path).toBe("mine");
  expect(failure(() => loadWith(ffi, { env: { NEARKIN_OPENBLAS: "gone" }, platform: "linux" }))).toEqual({
    code: "ENGINE_UNAVAILABLE",
    reason: "NEARKIN_OPENBLAS names gone, but it does not load (gone: no such file)",
    remedy: "correct the variable, or unset it to use the system's OpenBLAS",
  });
  expect(tried).toEqual(["mine", "gone"]);
});

test("nothing found: what to install", () => {
  const { ffi } = machine({});
  expect(failure(() => loadWith(ffi, { env: {}, platform: "linux" }))).toEqual({
    code: "ENGINE_UNAVAILABLE",
    reason: "OpenBLAS was not found (libopenblas.so.0, libopenblasp.so.0, libopenblas.so.3, libopenblas.so)",
    remedy:
      "apt-get install libopenblas0-pthread (Debian, Ubuntu), dnf install openblas-threads (Fedora), apk add openblas (Alpine), or set NEARKIN_OPENBLAS to the library's path",
  });
  expect(failure(() => loadWith(ffi, { env: {}, platform: "darwin" })).remedy).toBe(
    "brew install openblas, or set NEARKIN_OPENBLAS to the library's path",
  );
  expect(failure(() => loadWith(ffi, { env: {}, platform: "aix" }))).toMatchObject({
    reason: "OpenBLAS was not found (aix)",
    remedy: "install OpenBLAS, or set NEARKIN_OPENBLAS to the library's path",
  });
});

test("64-bit integers are refused before a routine is called", () => {
  const wide = "OpenBLAS 0.3.30 USE64BITINT DYNAMIC_ARCH Haswell MAX_THREADS=64";
  const alone = machine({ "libopenblas.so.0": wide });
  expect(failure(() => loadWith(alone.ffi, { env: {}, platform: "linux" })).reason).toBe(
    "OpenBLAS cannot be used: libopenblas.so.0 is built for 64-bit integers (USE64BITINT); a build for 32-bit ones is needed",
  );
  expect(alone.unloaded).toEqual(["libopenblas.so.0"]);
  const beside = machine({ "libopenblas.so.0": wide, "libopenblas.so": GOOD });
  expect(loadWith(beside.ffi, { env: {}, platform: "linux" }).path).toBe("libopenblas.so");
});

test("a library without the usual names is refused", () => {
  const { ffi } = machine({ other: null });
  expect(failure(() => loadWith(ffi, { env: { NEARKIN_OPENBLAS: "other" }, platform: "linux" })).reason).toBe(
    "NEARKIN_OPENBLAS names other, but other is no OpenBLAS with CBLAS, LAPACK and 32-bit integers under the usual names (no symbol in other)",
  );
});

test("koffi that is missing, or whose binary is", async () => {
  const missing = () => Promise.reject(new Error("Cannot find package 'koffi'\nRequire stack"));
  await expect(loadFfi(missing)).rejects.toMatchObject({
    code: "ENGINE_UNAVAILABLE",
    message:
      "koffi, through which OpenBLAS is called, does not load (Cannot find package 'koffi'); reinstall with npm install koffi; its binary is an optional dependency, so without --omit=optional",
  });
});

test("a file that is not there is reported, not replaced", async () => {
  vi.stubEnv("NEARKIN_OPENBLAS", "/nowhere/libopenblas.so");
  const report = await findOpenBlas();
  expect(report).toMatchObject({
    available: false,
    reason: expect.stringMatching(/^NEARKIN_OPENBLAS names \/nowhere\/libopenblas\.so, but it does not load \(.+\)$/),
    remedy: "correct the variable, or unset it to use the system's OpenBLAS",
  });
  await expect(loadOpenBlas()).rejects.toBeInstanceOf(OpenBlasUnavailableError);
});

test.skipIf(process.platform !== "linux")("a library that is not OpenBLAS", async () => {
  vi.stubEnv("NEARKIN_OPENBLAS", "libm.so.6");
  expect(await findOpenBlas()).toMatchObject({
    available: false,
    reason: expect.stringContaining("libm.so.6 is no OpenBLAS with CBLAS, LAPACK and 32-bit integers"),
  });
});

test.skipIf(!available)("the system's: where it is and what it is", async () => {
  const report = await findOpenBlas();
  if (!report.available) throw new Error(report.reason);
  expect(report.version).toMatch(/^\d+\.\d+\.\d+/);
  expect(report.config).toContain(report.version);
  expect(report.core).toMatch(/^\w+$/);
  vi.stubEnv("NEARKIN_OPENBLAS", report.path);
  expect(await findOpenBlas()).toEqual(report);
});
