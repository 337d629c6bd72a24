// Runs train-peer.ts: one process per piece of work.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TrainWork } from "./train-peer.ts";
import type { TrainingTimes } from "./train-report.ts";

export const repository = fileURLToPath(new URL("..", import.meta.url));
/** What is made up once and kept between runs. */
export const folder = join(repository, ".cache", "bench");

export async function prepareApart(config: unknown, out: string): Promise<number> {
  return (await apart<{ seconds: number }>("prepare", { config, out })).seconds;
}

export function trainApart(work: TrainWork): Promise<TrainingTimes> {
  return apart<TrainingTimes>("train", work);
}

function apart<T>(what: string, work: unknown): Promise<T> {
  const program = [join(repository, "bench", "train-peer.ts"), what, JSON.stringify(work)];
  const child = spawn(
    process.execPath,
    ["--expose-gc", "--conditions=@nearkin/source", "--import", "tsx", ...program],
    { cwd: repository, stdio: ["ignore", "pipe", "inherit"] },
  );
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk;
  });
  return new Promise<T>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve(JSON.parse(text.trim().split("\n").at(-1) ?? "") as T);
      else reject(new Error(`${what} ended with ${signal ?? `code ${code}`}`));
    });
  });
}
