// OpenBLAS in a process of its own, so that OPENBLAS_CORETYPE can hold it to an older instruction set: with the 256-bit
// kernels of Haswell or the 128-bit ones of Nehalem it shows what WebAssembly's 128-bit vectors could reach at best.
// Reads requests as JSON lines, like torch_peer.py.
import { createInterface } from "node:readline";
import { loadOpenBlas } from "@nearkin/native";
import { time } from "./harness.ts";
import { spd } from "./inputs.ts";

const say = (message: unknown) => process.stdout.write(`${JSON.stringify(message)}\n`);

interface Request {
  case: "gemm" | "cholesky";
  dtype: "f32" | "f64";
  m: number;
  n: number;
  k: number;
  threads: number;
  repeat: number;
}

try {
  const blas = await loadOpenBlas();
  say({ ready: true, core: blas.core, version: blas.version });
  const kept: Float64Array[] = []; // addresses must outlive the calls
  const cache = new Map<string, (repeat: number) => number[]>();
  const prepare = (r: Request): ((repeat: number) => number[]) => {
    if (r.case === "cholesky") {
      const source = spd(r.n);
      const A = new Float64Array(r.n * r.n);
      kept.push(A);
      const at = blas.addressOf(A);
      return (repeat) =>
        time(
          repeat,
          () => blas.f64.potrf(r.n, at, r.n),
          () => A.set(source),
        );
    }
    const [A, B, C] = [r.m * r.k, r.k * r.n, r.m * r.n].map((size) => {
      const array = new Float64Array(size);
      (r.dtype === "f32" ? new Float32Array(array.buffer) : array).fill(0.5);
      kept.push(array);
      return blas.addressOf(array);
    });
    return (repeat) =>
      time(repeat, () => blas[r.dtype].gemm(101, 111, 111, r.m, r.n, r.k, 1, A, r.k, B, r.n, 0, C, r.n));
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line) as Request;
    const { repeat, threads, ...key } = request;
    const name = JSON.stringify(key);
    if (!cache.has(name)) cache.set(name, prepare(request));
    blas.setThreads(threads);
    say({ ms: cache.get(name)?.(repeat) });
  }
} catch (error) {
  say({ ready: false, reason: (error as Error).message });
}
