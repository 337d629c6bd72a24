// The compiled kernels: which build can run here, and with which kind of memory.
import { relaxed, strict } from "./kernels.generated.ts";

export type Simd = "strict" | "relaxed";

/** The few of Node's globals this file looks at; absent in browsers. */
interface NodeProcess {
  versions?: { node?: string; v8?: string };
  getBuiltinModule?: (name: string) => unknown;
}

const nodeProcess: NodeProcess | undefined = (() => {
  const candidate = (globalThis as { process?: NodeProcess }).process;
  return candidate?.versions?.node ? candidate : undefined;
})();

/** A module of Node's own, without an import that bundlers for the browser would try to resolve. */
export function nodeModule<T>(name: string): T | undefined {
  return nodeProcess?.getBuiltinModule?.(name) as T | undefined;
}

/** The module's bytes, for shared memory or (one flag in the import section changed) for plain memory. */
export function moduleBytes(simd: Simd, shared: boolean): Uint8Array<ArrayBuffer> {
  const source = simd === "strict" ? strict : relaxed;
  const text = atob(source.base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  if (!shared) bytes[source.sharedFlagOffset] = 1;
  return bytes;
}

/** Whether relaxed SIMD runs here. On Node 20 it hides behind a V8 flag, which takes effect at once and process-wide. */
export function relaxedAvailable(): boolean {
  if (typeof WebAssembly === "undefined") return false; // some hardened browsers take it away
  const bytes = moduleBytes("relaxed", true);
  if (WebAssembly.validate(bytes)) return true;
  const major = Number(nodeProcess?.versions?.v8?.split(".")[0] ?? 99);
  if (major > 11) return false; // later V8 has it without a flag, and prints a line about an unknown one
  nodeModule<{ setFlagsFromString(flag: string): void }>("node:v8")?.setFlagsFromString(
    "--experimental-wasm-relaxed-simd",
  );
  return WebAssembly.validate(bytes);
}

/** Threads may share memory: in Node always, in a page only when it is cross-origin isolated. */
export function sharedMemoryAvailable(): boolean {
  if (typeof SharedArrayBuffer === "undefined") return false;
  return nodeProcess !== undefined || (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === true;
}

/** Cores this process may use. */
export function availableCores(): number {
  const os = nodeModule<{ availableParallelism(): number }>("node:os");
  if (os) return os.availableParallelism();
  return (globalThis as { navigator?: { hardwareConcurrency?: number } }).navigator?.hardwareConcurrency ?? 1;
}
