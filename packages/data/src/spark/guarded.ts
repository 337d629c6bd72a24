// A program that does not outlive whoever started it, by kill -9 either: a job that went on would write over the files of the next one.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { NearkinError } from "@nearkin/core";

/** Runs a command, and ends it when whoever started it is gone: then its own input ends. */
const GUARD = `
exec 3<&0
"$@" < /dev/null 3<&- &
job=$!
{ cat <&3; kill -9 0; } > /dev/null 2>&1 &
exec 3<&-
wait $job`;

interface GuardedOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string;
  signal?: AbortSignal | undefined;
}

export interface Guarded extends Disposable {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Its exit code, once all that it said has been read; where it was aborted, the reason is thrown. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

export function startGuarded(command: readonly string[], { env, cwd, signal }: GuardedOptions): Guarded {
  signal?.throwIfAborted();
  // A group of its own: Spark's programs are shell scripts around Java, and both must end.
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn("sh", ["-c", GUARD, "sh", ...command], {
    env,
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const kill = () => {
    try {
      process.kill(-(child.pid as number), "SIGKILL");
    } catch {
      // it has ended by itself
    }
  };
  process.once("exit", kill); // nobody would wait for it any more
  signal?.addEventListener("abort", kill);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", (cause) =>
      reject(new NearkinError("ENGINE_UNAVAILABLE", `${command[0]} cannot be started: ${cause.message}`, { cause })),
    );
    child.once("close", resolve);
  }).then((code) => {
    signal?.throwIfAborted();
    return code;
  });
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    kill,
    [Symbol.dispose]() {
      signal?.removeEventListener("abort", kill);
      process.removeListener("exit", kill);
    },
  };
}
