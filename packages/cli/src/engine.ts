// The engine choice that every command shares: flags, environment, and the optional native package.
import { type Accelerate, createEngine, type Engine, type EngineOptions, NearkinError } from "@nearkin/core";
import { type Command, InvalidArgumentError, Option } from "commander";

const KINDS = ["auto", "wasm", "wasm-relaxed", "native", "plain"] as const;
const POLICIES = ["reproducible", "fastest"] as const;

export interface EngineFlags {
  engine: (typeof KINDS)[number];
  policy: (typeof POLICIES)[number];
  workers?: number;
}

/** Adds --engine, --policy and --workers to a command; `more`: engines that this command alone can use. */
export function withEngineFlags(command: Command, more: readonly string[] = []): Command {
  const engine = new Option("--engine <kind>", "what computes: wasm gives the same bits on every machine")
    .choices([...KINDS, ...more])
    .default("auto");
  if (process.env.NEARKIN_ENGINE) engine.env("NEARKIN_ENGINE"); // set but empty is not set
  return command
    .addOption(engine)
    .addOption(
      new Option("--policy <policy>", "what auto is after; fastest takes native, then relaxed arithmetic")
        .choices(POLICIES)
        .default("reproducible"),
    )
    .option("--workers <n>", "threads to use (default: the cores there are, at most 8)", wholeNumber(1));
}

/** Parses an option's number. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const n = Number(text);
    if (text.trim() === "" || !Number.isSafeInteger(n) || n < least) {
      throw new InvalidArgumentError(`Expected a whole number of at least ${least}.`);
    }
    return n;
  };
}

/** Opens the engine the flags ask for. */
export async function openEngine(flags: EngineFlags): Promise<Engine> {
  const options: EngineOptions = { ...flags };
  if (flags.engine === "native" || (flags.engine === "auto" && flags.policy === "fastest")) options.native = openBlas;
  return createEngine(options);
}

/** @nearkin/native is an optional package: looked for only when it is wanted. */
export const openBlas: Accelerate = async (memory, workers) => (await loadNative()).openBlas(memory, workers);

export async function loadNative(): Promise<typeof import("@nearkin/native")> {
  try {
    return await import("@nearkin/native");
  } catch (cause) {
    if ((cause as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new NearkinError("ENGINE_UNAVAILABLE", "@nearkin/native is not installed; run: npm install @nearkin/native", {
      cause,
    });
  }
}
