// Metrics of many users from lines of JSON: by one and by two filters on this machine, and by a Spark cluster of one and of two workers with a core each.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, createWriteStream, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeUsersDataset, makeUsersModel, type UsersDataset } from "./personalize-models.ts";

/** Items of a user, and others that they are told apart from: those of the part memory of the suite personalize. */
const ITEMS = 8;
const OTHERS = 30;
const FEW = 16; // users of a job that measures what every job costs
const PARTITIONS = 4; // a process has to open the model and get warm

const repository = fileURLToPath(new URL("..", import.meta.url));
const cache = join(repository, ".cache", "bench");
const bin = join(repository, "packages", "cli", "bin", "nearkin.js");

export interface PersonalizeScale {
  users: number;
  /** Of each user. */
  items: number;
  cases: readonly PersonalizeCase[];
}

interface PersonalizeCase {
  engine: "filter" | "spark";
  /** Filters, or workers of one core. */
  cores: number;
  /** From the command to its end. */
  seconds: number;
  /** Of that, what it takes for next to no users: starting Spark, sending the model, opening it. */
  startSeconds: number;
  /** Beyond the start. */
  usersPerSecondPerCore: number;
}

export async function measurePersonalize({ users }: { users: number }): Promise<PersonalizeScale> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "personalize-"));
  try {
    const made = await makeUsersDataset(folder);
    const model = join(folder, "model");
    await makeUsersModel(made.dataset, model, { items: ITEMS, others: OTHERS });
    const world: World = { folder, model, made, users };
    const cases = [
      await byFilters(world, 1),
      await byFilters(world, 2),
      await bySpark(world, 1),
      await bySpark(world, 2),
    ];
    return { users, items: ITEMS, cases };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface World {
  folder: string;
  model: string;
  made: UsersDataset;
  users: number;
}

/** So many users in so many files. */
async function writeUsers({ folder, made }: World, users: number, files: number): Promise<string[]> {
  const paths: string[] = [];
  for (let file = 0; file < files; file++) {
    const path = join(folder, `${users}-${file + 1}-of-${files}.jsonl`);
    const out = createWriteStream(path);
    for (let user = file; user < users; user += files) {
      const own = made.users[user % made.users.length];
      const first = user % (own.length - ITEMS); // other items of the same few users
      const line = JSON.stringify({ user: `u${user}`, ratings: own.slice(first, first + ITEMS) });
      if (!out.write(`${line}\n`)) await once(out, "drain");
    }
    out.end();
    await once(out, "close");
    paths.push(path);
  }
  return paths;
}

async function byFilters(world: World, cores: number): Promise<PersonalizeCase> {
  const run = async (users: number) => {
    const files = await writeUsers(world, users, cores);
    return clocked(() =>
      Promise.all(
        files.map((file) =>
          nearkin([world.model, "--in", file, "--engine", "wasm", "--workers", "1"], { out: `${file}.out` }),
        ),
      ),
    );
  };
  const startSeconds = await run(FEW);
  return caseOf({ engine: "filter", cores, startSeconds, seconds: await run(world.users) }, world.users);
}

async function bySpark(world: World, cores: number): Promise<PersonalizeCase> {
  const home = join(world.folder, `spark-${cores}`);
  const env = { ...process.env, NEARKIN_SPARK_WORKERS: String(cores) };
  const script = (...args: string[]) =>
    execFileSync(join(repository, "scripts", "spark.sh"), args, { env, encoding: "utf8" }).trim();
  mkdirSync(home);
  const master = script("start", home);
  try {
    const spark = { env: { ...process.env, SPARK_HOME: script("find") } };
    const run = async (users: number) => {
      const [file] = await writeUsers(world, users, 1);
      const out = join(world.folder, `metrics-${cores}-${users}`);
      const where = ["--in", file, "--out", out, "--master", master, "--partitions", String(PARTITIONS)];
      return clocked(() =>
        nearkin([world.model, "--engine", "spark", ...where, "--conf", "spark.driver.host=127.0.0.1"], spark),
      );
    };
    const startSeconds = await run(FEW);
    return caseOf({ engine: "spark", cores, startSeconds, seconds: await run(world.users) }, world.users);
  } finally {
    script("stop", home);
  }
}

function caseOf(measured: Omit<PersonalizeCase, "usersPerSecondPerCore">, users: number): PersonalizeCase {
  const { engine, cores, seconds, startSeconds } = measured;
  const usersPerSecondPerCore = Math.round(users / (seconds - startSeconds) / cores);
  process.stderr.write(
    `personalize: ${engine}, ${cores} core${cores === 1 ? "" : "s"}: ${seconds.toFixed(1)} s, of which ${startSeconds.toFixed(1)} s to start; ${usersPerSecondPerCore} users a second and core\n`,
  );
  const rounded = (value: number) => Number(value.toFixed(2));
  return { engine, cores, seconds: rounded(seconds), startSeconds: rounded(startSeconds), usersPerSecondPerCore };
}

/** `nearkin personalize …` in a process of its own. */
async function nearkin(
  args: readonly string[],
  { env, out }: { env?: NodeJS.ProcessEnv; out?: string },
): Promise<void> {
  const stdout = out === undefined ? "ignore" : openSync(out, "w");
  const child = spawn(process.execPath, [bin, "personalize", ...args], {
    stdio: ["ignore", stdout, "pipe"],
    ...(env && { env }),
  });
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, "close");
  if (typeof stdout === "number") closeSync(stdout);
  if (code !== 0) throw new Error(`nearkin personalize ended with ${code}: ${said.slice(-500)}`);
}

async function clocked(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
