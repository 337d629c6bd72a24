// Preparation of millions of rows, by DuckDB and by a Spark cluster of one and of two workers with a core each, in turn. Parquet in, tables out:
// no channels and no factors, which are the same for both and stay in Node.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseConfig, prepare, type SparkOptions } from "@nearkin/data";
import { Database, quote } from "../packages/data/src/database.ts";
import { writeRatings } from "./ratings.ts";

const USERS = 138_493;
const ITEMS = 26_744;
const SEED = 7;
const EXECUTOR_MEMORY = "3g";
const WORKER_MEMORY = "3500M";

const repository = fileURLToPath(new URL("..", import.meta.url));
const folder = join(repository, ".cache", "bench");

export interface PrepareScale {
  rows: number;
  cases: readonly PrepareCase[];
}

interface PrepareCase {
  engine: "duckdb" | "spark";
  /** What may work at once: threads, or workers of one core. */
  cores: number;
  seconds: number;
  /** Seconds of each step. */
  steps: Record<string, number>;
}

export async function measurePrepare({ rows }: { rows: number }): Promise<PrepareScale> {
  const ratings = await parquetRatings(rows);
  const cases: PrepareCase[] = [];
  for (const cores of [1, 2]) cases.push(await measure(ratings, "duckdb", cores));
  for (const cores of [1, 2]) {
    const home = join(folder, `spark-${cores}`);
    const env = { ...process.env, NEARKIN_SPARK_WORKERS: String(cores), NEARKIN_SPARK_MEMORY: WORKER_MEMORY };
    const script = (command: string, ...args: string[]) =>
      execFileSync(join(repository, "scripts", "spark.sh"), [command, ...args], { env, encoding: "utf8" }).trim();
    mkdirSync(home, { recursive: true });
    const master = script("start", home);
    try {
      const spark: SparkOptions = {
        master,
        env: { ...process.env, SPARK_HOME: script("find") },
        conf: [
          `spark.executor.memory=${EXECUTOR_MEMORY}`,
          "spark.driver.host=127.0.0.1",
          "spark.sql.shuffle.partitions=16",
        ],
      };
      cases.push(await measure(ratings, "spark", cores, spark));
    } finally {
      script("stop", home);
      rmSync(home, { recursive: true, force: true });
    }
  }
  return { rows, cases };
}

async function measure(
  file: string,
  engine: PrepareCase["engine"],
  cores: number,
  spark?: SparkOptions,
): Promise<PrepareCase> {
  const out = join(folder, "scaled");
  const config = parseConfig({ interactions: { files: file }, factors: { count: 0 } });
  const steps: Record<string, number> = {};
  const started = performance.now();
  await prepare(config, {
    out,
    force: true,
    threads: cores,
    ...(spark && { spark }),
    onEvent: (event) => {
      if (event.type === "done") steps[event.name] = Number(event.seconds.toFixed(2));
    },
  });
  const seconds = (performance.now() - started) / 1000;
  process.stderr.write(`prepare: ${engine}, ${cores} core${cores === 1 ? "" : "s"}: ${seconds.toFixed(1)} s\n`);
  rmSync(out, { recursive: true });
  return { engine, cores, seconds: Number(seconds.toFixed(2)), steps };
}

async function parquetRatings(rows: number): Promise<string> {
  const file = join(folder, `ratings-${rows}.parquet`);
  if (existsSync(file)) return file;
  process.stderr.write(`making ${rows.toLocaleString("en")} ratings …\n`);
  const csv = join(folder, `ratings-${rows}.csv`);
  if (!existsSync(csv)) {
    await writeRatings(csv, { rows, users: Math.min(USERS, Math.ceil(rows / 20)), items: ITEMS, seed: SEED });
  }
  await using database = await Database.open(":memory:", { scratch: folder });
  await database.run(`COPY (SELECT * FROM read_csv(${quote(csv)})) TO ${quote(file)} (FORMAT parquet)`);
  return file;
}
