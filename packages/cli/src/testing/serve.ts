import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const bin = fileURLToPath(new URL("../../bin/nearkin.js", import.meta.url));

export interface RunningServer {
  /** What it has written to standard error so far. */
  readonly said: () => string;
  readonly child: ChildProcess;
  readonly url: string;
  /** The exit code, when it has ended. */
  readonly ended: Promise<number | null>;
}

/** `nearkin serve` in a process of its own, on any port; resolves with the address that it prints. A test that fails leaves no server behind. */
export async function startServe(models: string, ...flags: string[]): Promise<RunningServer> {
  const args = [bin, "serve", models, "--port", "0", ...flags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let text = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on("data", (data: Buffer) => {
      text += data;
      const found = /listening on (\S+);/.exec(text);
      if (found) resolve(found[1]);
    });
    void ended.then(() => reject(new Error(text)));
  });
  return { child, url, ended, said: () => text };
}
