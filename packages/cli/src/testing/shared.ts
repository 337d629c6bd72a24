// Folders that are expensive to make and that many test files read: made once in a run, by whichever file asks first, while the others wait.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { run } from "./run.ts";
import { SMALL_TRAINING } from "./small-training.ts";

const POLL_INTERVAL_MS = 50;

/** Makes the folder `name` by `make` unless it is there already, and returns its path. The files that share it only read it. */
async function sharedFolder(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  process.env.NEARKIN_TEST_SHARED ??= mkdtempSync(join(tmpdir(), "nearkin-tests-")); // set by test/support/shared.ts
  const folder = join(process.env.NEARKIN_TEST_SHARED, name);
  const [done, failed] = [`${folder}.done`, `${folder}.failed`];
  try {
    mkdirSync(`${folder}.making`);
  } catch {
    while (!existsSync(done) && !existsSync(failed)) await delay(POLL_INTERVAL_MS);
    if (existsSync(failed)) throw new Error(`${name} could not be made: ${readFileSync(failed, "utf8")}`);
    return folder;
  }
  try {
    await make(folder);
    writeFileSync(done, "");
    return folder;
  } catch (error) {
    writeFileSync(failed, String(error));
    throw error;
  }
}

async function succeed(...args: string[]): Promise<void> {
  const { code, err } = await run(...args);
  if (code !== 0) throw new Error(`nearkin ${args.join(" ")}: ${err}`);
}

type Split = "random" | "time" | "users" | "none";

/** Copies the built-in sample, prepared once, to the dataset folder `to`. Its texts are by lsa, which needs no encoder. */
export async function sampleDataset(split: Split, to: string): Promise<void> {
  cpSync(await preparedSample(split), to, { recursive: true });
}

/** Copies a model of the sample, trained once with SMALL_TRAINING, to the folder `to`. */
export async function smallModel(split: Split, to: string, seed = 1): Promise<void> {
  const dataset = await preparedSample(split);
  const model = await sharedFolder(`model-${split}-${seed}`, async (out) => {
    writeFileSync(`${out}.yaml`, SMALL_TRAINING);
    const settings = ["--config", `${out}.yaml`, "--seed", String(seed), "--workers", "1"];
    await succeed("train", dataset, ...settings, "--out", out);
  });
  cpSync(model, to, { recursive: true });
}

const preparedSample = (split: Split) =>
  sharedFolder(`sample-${split}`, (out) =>
    succeed("prepare", "marquee", "--encoder", "lsa", "--split", split, "--out", out),
  );
