// Processes of the suite serve: the server, what loads it, and scans without a server. Each is one of our files, bundled as a build would do it: run from
// source, every function would be given its name anew when it is made, which a server makes many of.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { build } from "esbuild";

const SOURCES = ["serve-server", "serve-load", "serve-scan"] as const;
const FOLDER = join(import.meta.dirname, "..", ".cache", "bench", "serve");
const PATIENCE = 5_000; // ms until a process that does not end is ended

/** Threads that the server starts by their names, from beside its own file. */
const THREADS = {
  "minilm-thread": "../packages/data/src/encoders/minilm-thread.ts",
  "users-worker": "../packages/serve/src/users/worker.ts",
};

/** Bundles the processes' programs; libraries stay where they are. */
export async function bundlePeers(): Promise<void> {
  const programs = [...SOURCES.map((name) => [name, `${name}.ts`]), ...Object.entries(THREADS)];
  await build({
    entryPoints: Object.fromEntries(programs.map(([name, path]) => [name, join(import.meta.dirname, path)])),
    outdir: FOLDER,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["@nearkin/source"],
    logLevel: "error",
    plugins: [
      {
        name: "libraries stay outside",
        setup({ onResolve }) {
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === "entry-point" || path.startsWith("@nearkin/") ? undefined : { path, external: true },
          );
        },
      },
    ],
  });
}

/** What a process can be asked for, by name: one argument, one answer, both as JSON. */
export type Calls = Readonly<Record<string, (argument: never) => unknown>>;

interface Asked {
  id: number;
  call: string;
  argument: unknown;
}

interface Answer {
  id: number;
  value?: unknown;
  error?: string;
}

/** In the process: answers whoever started it, and ends when that one is gone. */
export function answerParent(calls: Calls): void {
  process.on("disconnect", () => process.exit());
  process.on("message", async ({ id, call, argument }: Asked) => {
    const answer: Answer = { id };
    try {
      answer.value = await calls[call](argument as never);
    } catch (error) {
      answer.error = String((error as Error)?.stack ?? error);
    }
    process.send?.(answer);
  });
}

/** A process that was started, to be held with `await using`. */
export class Peer<T extends Calls> implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #asked = 0;

  /** @param options of Node, such as --cpu-prof */
  constructor(name: (typeof SOURCES)[number], options: readonly string[] = []) {
    this.#child = fork(join(FOLDER, `${name}.js`), {
      execArgv: [...options],
      stdio: ["ignore", "ignore", "inherit", "ipc"], // a server's log costs what it costs, and nobody reads it
    });
    this.#child.on("message", (answer: Answer) => {
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
    this.#child.once("exit", (code, signal) => {
      for (const [id, settle] of this.#waiting) settle({ id, error: `${name} has ended: ${signal ?? code}` });
      this.#waiting.clear();
    });
  }

  ask<Name extends keyof T & string>(
    call: Name,
    argument?: Parameters<T[Name]>[0],
  ): Promise<Awaited<ReturnType<T[Name]>>> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ value, error }) =>
        error === undefined ? resolve(value as Awaited<ReturnType<T[Name]>>) : reject(new Error(error)),
      );
      this.#child.send({ id, call, argument } satisfies Asked);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE);
    await ended;
    clearTimeout(timer);
  }
}
