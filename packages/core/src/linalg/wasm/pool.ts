// One module, one memory, N threads. The host writes a job into each thread's slot, runs its own share and waits for the
// rest. Everything is synchronous, and nothing is allocated on the way.
import { NearkinError } from "../../errors.ts";
import { Arena, MAX_PAGES } from "../arena.ts";
import type { Indices, Matrix, Precision } from "../matrix.ts";
import * as layout from "./layout.ts";
import { moduleBytes, type Simd } from "./modules.ts";
import { startThread, type Thread } from "./thread.ts";
import { workerSource } from "./worker-source.ts";

const FIRST_PAGES = 64; // 4 MiB: the control page, and the first thread's workspace

/** A kernel's number in each precision. */
export type Kernel = Record<Precision, number>;

type KernelFunction = (job: number) => number | undefined;

export interface PoolOptions {
  simd: Simd;
  workers: number;
  shared: boolean;
  /** Most memory to use, in pages of 64 KiB. */
  maxPages?: number;
  /** How long to wait for a worker before it counts as lost, in ms. */
  timeout?: number;
}

export class Pool {
  readonly arena: Arena;
  readonly notes: string[] = [];
  /** Rows of the register tile and columns of a block: where splits should fall. */
  readonly tileRows: number;
  readonly blockSize: number;
  #workers = 1;
  readonly #module: WebAssembly.Module;
  readonly #names: string[];
  readonly #kernels: KernelFunction[];
  readonly #threads: Thread[] = [];
  readonly #workspaces: number[] = [];
  readonly #timeout: number;
  readonly #control: Int32Array;
  #mayBlock = true;
  #failure: NearkinError | undefined;
  #cursor = 0;

  static async create(options: PoolOptions): Promise<Pool> {
    const { simd, shared, maxPages = MAX_PAGES } = options;
    const module = await WebAssembly.compile(moduleBytes(simd, shared));
    const memory = createMemory(shared, maxPages);
    const instance = await WebAssembly.instantiate(module, { env: { memory } });
    const pool = new Pool(module, memory, instance, options);
    if (shared && options.workers > 1) await pool.#start(Math.min(options.workers, layout.MAX_WORKERS));
    return pool;
  }

  private constructor(
    module: WebAssembly.Module,
    memory: WebAssembly.Memory,
    instance: WebAssembly.Instance,
    options: PoolOptions,
  ) {
    this.#module = module;
    this.arena = new Arena(memory, layout.CONTROL_BYTES, options.maxPages ?? MAX_PAGES);
    this.#control = new Int32Array(memory.buffer, 0, layout.CONTROL_BYTES / 4);
    this.#timeout = options.timeout ?? 120_000;
    const exports = instance.exports as Record<string, KernelFunction>;
    this.#names = WebAssembly.Module.exports(module)
      .filter((e) => e.kind === "function")
      .map((e) => e.name);
    this.#kernels = this.#names.map((name) => exports[name]);
    this.tileRows = exports.tile_rows(0) as number;
    this.blockSize = exports.block_size(0) as number;
    this.#workspaces.push(this.#newWorkspace());
  }

  /** Threads that share the work, the host's included. */
  get workers(): number {
    return this.#workers;
  }

  /** The numbers of `name_f32` and `name_f64`. */
  kernel(name: string): Kernel {
    return { f32: this.kernelNumber(`${name}_f32`), f64: this.kernelNumber(`${name}_f64`) };
  }

  kernelNumber(name: string): number {
    const number = this.#names.indexOf(name);
    if (number < 0) throw new Error(`no kernel called ${name}`);
    return number;
  }

  /** Bytes of a thread's workspace. */
  get workspaceBytes(): number {
    return this.#kernels[this.kernelNumber("workspace_bytes")](0) as number;
  }

  /** Address of thread `t`'s private workspace. */
  workspace(t: number): number {
    return this.#workspaces[t];
  }

  /** How many threads a job of this much work (multiply-adds, or elements) is worth. */
  share(work: number, threshold: number): number {
    return work < threshold ? 1 : this.#workers;
  }

  /** Starts writing thread t's job; the `put` methods then fill its fields in order. */
  job(t: number): this {
    this.#cursor = (layout.SLOTS + t * layout.SLOT_BYTES) / 8;
    return this;
  }

  put(value: number): this {
    this.arena.f64[this.#cursor++] = value;
    return this;
  }

  /** Address, row stride, column stride. */
  putMatrix(m: Matrix): this {
    return this.putRows(m).put(m.colStride);
  }

  /** Address and row stride, from row `row` and column `col` on. */
  putRows(m: Matrix, row = 0, col = 0): this {
    return this.put(this.address(m, row, col)).put(m.rowStride);
  }

  /** The same; two zeros for none. */
  putOptionalRows(m: Matrix | undefined, row = 0): this {
    return m ? this.putRows(m, row) : this.put(0).put(0);
  }

  /** Address of a contiguous vector from element i on; 0 for none. */
  putVector(m: Matrix | undefined, i = 0): this {
    return this.put(m ? this.address(m) + i * (m.precision === "f32" ? 4 : 8) : 0);
  }

  putIndices(indices: Indices | undefined, i = 0): this {
    if (!indices) return this.put(0);
    if (indices.storage !== this.arena) throw foreign();
    return this.put((indices.offset + i) * 4);
  }

  /** Byte address of element (row, col). */
  address(m: Matrix, row = 0, col = 0): number {
    if (m.storage !== this.arena) throw foreign();
    return (m.offset + row * m.rowStride + col * m.colStride) * (m.precision === "f32" ? 4 : 8);
  }

  /** Runs the jobs of threads 0 … parts − 1 and returns when all are done. Returns the host's own result. */
  run(kernel: number, parts: number): number {
    this.checkOpen();
    if (parts <= 1) return this.#kernels[kernel](layout.SLOTS) ?? 0;
    const control = this.#control;
    for (let t = 1; t < this.#workers; t++) {
      const slot = layout.SLOTS + t * layout.SLOT_BYTES;
      control[(slot + layout.KERNEL) >> 2] = t < parts ? kernel : layout.IDLE;
      control[(slot + layout.ERROR_LENGTH) >> 2] = 0;
    }
    Atomics.store(control, layout.DONE >> 2, 0);
    Atomics.add(control, layout.ROUND >> 2, 1);
    Atomics.notify(control, layout.ROUND >> 2);
    let own: unknown;
    let result = 0;
    try {
      result = this.#kernels[kernel](layout.SLOTS) ?? 0;
    } catch (error) {
      own = error; // the round must still be finished
    }
    this.#await();
    if (own) throw own;
    this.#checkErrors(parts);
    return result;
  }

  /** Throws once the pool is closed or has lost a worker. */
  checkOpen(): void {
    if (this.#failure) throw this.#failure;
  }

  /** What thread t's kernel returned in the last round. */
  result(t: number): number {
    return this.#control[(layout.SLOTS + t * layout.SLOT_BYTES + layout.RESULT) >> 2];
  }

  async close(): Promise<void> {
    this.#failure = new NearkinError("ENGINE_CLOSED", "this engine is closed; open a new one");
    if (this.#workers === 1) return; // its control view may be of a buffer that plain memory left behind when it grew
    for (let t = 1; t < this.#workers; t++) {
      this.#control[(layout.SLOTS + t * layout.SLOT_BYTES + layout.KERNEL) >> 2] = layout.END;
    }
    Atomics.add(this.#control, layout.ROUND >> 2, 1);
    Atomics.notify(this.#control, layout.ROUND >> 2);
    this.#workers = 1;
    await Promise.all(this.#threads.splice(0).map((thread) => thread.terminate()));
  }

  #await(): void {
    const control = this.#control;
    const want = this.#workers - 1;
    let spins = 0;
    while (Atomics.load(control, layout.DONE >> 2) < want && spins < 20_000) spins++;
    if (!this.#mayBlock) {
      // The main thread of a page may not sleep; it can only look again.
      const end = performance.now() + this.#timeout;
      while (Atomics.load(control, layout.DONE >> 2) < want) if (performance.now() > end) throw this.#lost();
      return;
    }
    for (;;) {
      const done = Atomics.load(control, layout.DONE >> 2);
      if (done >= want) return;
      if (Atomics.wait(control, layout.DONE >> 2, done, this.#timeout) === "timed-out") throw this.#lost();
    }
  }

  #lost(): NearkinError {
    this.#failure = new NearkinError(
      "WORKER_FAILED",
      `a worker gave no answer for ${this.#timeout / 1000} s (killed, or out of memory?); create a new engine`,
    );
    return this.#failure;
  }

  #checkErrors(parts: number): void {
    for (let t = 1; t < parts; t++) {
      const slot = layout.SLOTS + t * layout.SLOT_BYTES;
      const length = this.#control[(slot + layout.ERROR_LENGTH) >> 2];
      if (length > 0) {
        const text = new Uint16Array(this.arena.memory.buffer, slot + layout.ERROR_TEXT, length);
        throw new NearkinError("WORKER_FAILED", `worker ${t}: ${String.fromCharCode(...text)}`);
      }
    }
  }

  async #start(workers: number): Promise<void> {
    for (let t = 1; t < workers; t++) this.#workspaces.push(this.#newWorkspace());
    try {
      Atomics.wait(this.#control, layout.DONE >> 2, 1, 0);
    } catch {
      this.#mayBlock = false;
    }
    const started = await Promise.allSettled(Array.from({ length: workers - 1 }, (_, i) => this.#spawn(i + 1)));
    const failed = started.find((s) => s.status === "rejected");
    for (const s of started) if (s.status === "fulfilled") this.#threads.push(s.value);
    if (failed) {
      // For example a Content-Security-Policy without `worker-src blob:`. One thread does the same, more slowly.
      for (const thread of this.#threads.splice(0)) thread.terminate();
      this.notes.push(`one thread only: ${(failed.reason as Error).message}`);
    } else this.#workers = workers;
  }

  #spawn(id: number): Promise<Thread> {
    const message = { module: this.#module, memory: this.arena.memory, id, names: this.#names };
    return startThread(workerSource, { name: `nearkin ${id}`, message });
  }

  #newWorkspace(): number {
    return this.arena.allocate(this.workspaceBytes, "workspace");
  }
}

function foreign(): NearkinError {
  return new NearkinError(
    "BAD_ARGUMENT",
    "a matrix lies outside this engine's memory; allocate it from this engine's scope(), or copy rows in with gatherRows",
  );
}

/** Where part `index` of `parts` begins when `total` is cut at multiples of `quantum`. */
export function cut(total: number, parts: number, index: number, quantum: number): number {
  return index === parts ? total : Math.min(total, Math.ceil((total * index) / parts / quantum) * quantum);
}

function createMemory(shared: boolean, maxPages: number): WebAssembly.Memory {
  if (!Number.isInteger(maxPages) || maxPages < FIRST_PAGES || maxPages > MAX_PAGES) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `maxPages must be a whole number from ${FIRST_PAGES} to ${MAX_PAGES}, got ${maxPages}`,
    );
  }
  try {
    return new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: maxPages, shared });
  } catch (cause) {
    throw new NearkinError(
      "OUT_OF_MEMORY",
      `could not reserve address space for a memory of up to ${maxPages} pages of 64 KiB; ask for fewer with maxPages, or raise the limit on virtual memory`,
      { cause },
    );
  }
}
