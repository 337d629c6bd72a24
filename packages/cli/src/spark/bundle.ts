// The one file that executors run. An installed package has it; a clone makes it, when it is missing or older than its sources.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { NearkinError } from "@nearkin/core";

export const BUNDLE = "nearkin-personalize.mjs";

export async function executorBundle(): Promise<string> {
  const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const installed = at(`./${BUNDLE}`);
  if (existsSync(installed)) return installed;
  const script = at("../../../../scripts/build-executor.mjs");
  if (existsSync(script)) await promisify(execFile)(process.execPath, [script]);
  const built = at(`../../dist/${BUNDLE}`);
  if (existsSync(built)) return built;
  throw new NearkinError(
    "ENGINE_UNAVAILABLE",
    `${installed}, which executors run, is not there; install nearkin anew, or name what they have with --executor-command`,
  );
}
