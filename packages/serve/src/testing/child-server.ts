// A server in a process of its own, that can be killed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ServeConfigInput } from "../config.ts";
import type { Place } from "./places.ts";

const program = fileURLToPath(new URL("./serve-until-killed.ts", import.meta.url));

export interface ChildServer extends AsyncDisposable {
  readonly url: string;
  /** kill −9; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Starts it, and waits until it listens. */
export async function startChild(
  models: string,
  { location, options }: Place,
  config: ServeConfigInput = {},
): Promise<ChildServer> {
  const node = ["--import", "tsx", "--conditions=@nearkin/source"];
  const args = [...node, program, models, location, options.schema ?? "", JSON.stringify(config)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const exit = once(child, "exit");
  const ended = exit.then(([code, signal]): never => {
    throw new Error(`the server ended by itself (${signal ?? code}): ${said}`);
  });
  ended.catch(() => {}); // nobody may be waiting for it any more
  const lines = createInterface({ input: child.stdout });
  const [url] = (await Promise.race([once(lines, "line"), ended])) as [string];
  const kill = async () => {
    const alive = child.exitCode === null && child.signalCode === null;
    child.kill("SIGKILL");
    await exit;
    if (!alive) await ended;
  };
  return {
    url,
    kill,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exit;
    },
  };
}
