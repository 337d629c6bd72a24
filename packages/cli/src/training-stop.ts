// Ctrl-C, and the signal of `docker stop` and systemd: the step under way is finished and saved; then it is said what is saved, and how to go on.
import { shellWord } from "@nearkin/data";
import type { TrainConfig } from "@nearkin/train";
import type { EngineFlags } from "./engine.ts";

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/** Turns signals into an AbortSignal, until it is disposed of. A second signal ends the process at once. */
export class StopSignals implements Disposable {
  readonly #controller = new AbortController();

  constructor() {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, this.#stop);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether an error is what the signal made of the run. */
  caused(error: unknown): boolean {
    return this.signal.aborted && error === this.signal.reason;
  }

  readonly #stop = (name: keyof typeof SIGNALS): void => {
    this[Symbol.dispose]();
    this.#controller.abort(new Error(`stopped by ${name}`));
    process.once("exit", (code) => {
      if (code === SIGNALS.SIGINT) process.exitCode = SIGNALS[name]; // as a shell counts
    });
  };

  [Symbol.dispose](): void {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, this.#stop);
  }
}

/** The exit code is that of a program that Ctrl-C ended. */
export class InterruptedError extends Error {
  readonly code = "INTERRUPTED";
}

export interface CommandFlags extends EngineFlags {
  preset?: string;
  config?: string;
  seed?: number;
  stages?: TrainConfig["stages"];
  final?: boolean;
  from?: string;
  force?: boolean;
  resume?: boolean;
  checkpoint?: number;
  json?: boolean;
}

/** Where a run was when it was stopped. */
export interface Standing {
  /** The model folder it was working on. */
  out: string;
  /** Whether there is a checkpoint of it. */
  saved: boolean;
  /** With --final: the first of its two runs, where that is done. */
  finished?: string;
}

/** What is saved, in truth, and the command that goes on. */
export function interruption({ out, saved, finished }: Standing, again: (resume: boolean) => string): InterruptedError {
  if (saved) return new InterruptedError(`stopped; the run is saved in ${out}.partial; go on with: ${again(true)}`);
  if (finished !== undefined) {
    return new InterruptedError(
      `stopped before the first step of the final run; ${finished} is finished; go on with: ${again(true)}`,
    );
  }
  return new InterruptedError(
    `stopped before the first step, so there is nothing to save; start again with: ${again(false)}`,
  );
}

/** The command line of a run, with everything that changes its result or where it goes. */
export function trainCommandLine(folder: string, out: string, flags: CommandFlags): string {
  const { final, preset, config, from, seed, stages, engine, policy, workers, checkpoint, force, json, resume } = flags;
  const word = shellWord;
  return [
    `nearkin train ${word(folder)} --out ${word(out)}`,
    preset ? `--preset ${preset}` : "",
    config ? `--config ${word(config)}` : "",
    seed === undefined ? "" : `--seed ${seed}`,
    from ? `--from ${word(from)}` : "",
    stages ? `--stages ${stages.join(",")}` : "",
    engine === "auto" ? "" : `--engine ${engine}`,
    policy === "reproducible" ? "" : `--policy ${policy}`,
    workers === undefined ? "" : `--workers ${workers}`,
    checkpoint === undefined || checkpoint === CHECKPOINT_SECONDS ? "" : `--checkpoint ${checkpoint}`,
    json ? "--json" : "",
    final ? "--final" : "",
    force ? "--force" : "",
    resume ? "--resume" : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
}

export const CHECKPOINT_SECONDS = 30;
