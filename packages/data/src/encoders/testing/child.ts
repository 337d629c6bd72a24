// A TypeScript program in a process of its own, run from source.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));

export interface ChildOptions {
  args?: readonly string[];
  /** A CommonJS file that every thread of the process runs first. */
  preload?: string;
  env?: Record<string, string>;
  /** Command before `node`. */
  within?: readonly string[];
}

/** Starts a program that lies beside the tests, named relative to this folder. */
export function startChild(program: string, { args = [], preload, env = {}, within = [] }: ChildOptions = {}) {
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const first = preload ? ["--require", path(preload)] : [];
  const node = [process.execPath, "--conditions=@nearkin/source", ...first, "--import", "tsx"];
  const [command, ...rest] = [...within, ...node, path(program), ...args];
  return spawn(command, rest, { cwd: root, env: { ...clean(process.env), ...env }, stdio: ["ignore", "pipe", "pipe"] });
}

/** What it wrote, once it has ended well. */
export async function outputOf(child: ChildProcess): Promise<string> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (piece) => {
    out += piece;
  });
  child.stderr?.on("data", (piece) => {
    err += piece;
  });
  const code = await new Promise((resolve, reject) => child.on("close", resolve).on("error", reject));
  if (code !== 0) throw new Error(`the child process ended with ${code}: ${err || out}`);
  return out;
}

/** Without what the test runner says to its own processes. */
function clean(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(VITEST|NODE_OPTIONS|NODE_V8_COVERAGE)/.test(name)),
  );
}
