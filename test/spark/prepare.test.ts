// nearkin prepare on a cluster of real processes: the same dataset as on this machine, also when a worker dies, and nothing but a clear error
// where it cannot be made.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { findSpark, parseConfig, prepare, resolveSource, runSpark, sparkScriptOf, stageOnly } from "@nearkin/data";
import { describe, expect, inject, test } from "vitest";
import type { ConfigInput } from "../../packages/data/src/config/schema.ts";
import type { PrepareOptions } from "../../packages/data/src/prepare/prepare.ts";
import { World } from "../../packages/data/src/testing/world.ts";
import { type Cluster, quickSettings, sparkScript, withoutSpark } from "./cluster.ts";
import { expectSameDataset } from "./same-dataset.ts";

const cluster = inject("cluster") as Cluster;

const conf = quickSettings;
const env = { ...process.env, SPARK_HOME: cluster?.home };
const onCluster = { conf, env, master: cluster?.master };

describe.skipIf(!cluster)(`prepare on a cluster${cluster ? "" : withoutSpark}`, () => {
  test("makes of the sample what DuckDB makes of it, although a worker is killed in the middle", async () => {
    using world = new World();
    await prepareSample(world, "by-duckdb", {});
    let killed = false;
    await prepareSample(world, "by-spark", {
      spark: { ...onCluster, conf: [...conf, "spark.executor.cores=1"] },
      onEvent(event) {
        if (event.type !== "done" || event.name !== "deduplicate") return;
        process.kill(Number(readFileSync(join(cluster.folder, "worker1.pid"), "utf8")), "SIGKILL");
        killed = true;
      },
    });
    sparkScript("start", cluster.folder); // the dead one again, for those who come after
    expect(killed).toBe(true);
    await expectSameDataset(world.path("by-spark"), world.path("by-duckdb"));
  });

  test("reads Parquet where it is, whatever it holds, through storage that only Spark reaches", async () => {
    using world = new World();
    await writeOddTables(world);
    world.jsonl("items.jsonl", [
      { item: "a", title: "Ünïcödé 中文 😀", year: 1999 },
      { item: "tab\there", title: 'say "hi"', year: 2001 },
      { item: "back\\slash", title: "it's", year: "soon" },
      { item: "a", title: "the last row is used", year: 2000 },
    ]);
    const config: Partial<ConfigInput> = {
      interactions: { files: ["part *.parquet"], columns: { user: "user;id" }, ratingRange: [0.5, 5] },
      items: { files: "items.jsonl" },
      channels: { year: { type: "number", column: "year" } },
      split: { by: "users", userEvents: [2, 99], users: 3 },
      pairs: { perUser: 7 },
      truth: { minCommonUsers: 1 },
      rejectLimit: 1,
    };
    await world.prepare(config, { out: "by-duckdb" });
    const storage = pathToFileURL(world.path("far away")).href;
    await world.prepare(config, { out: "by spark %20", spark: { ...onCluster, storage } });
    await expectSameDataset(world.path("by spark %20"), world.path("by-duckdb"));
    expect(await world.rejects("by spark %20")).toEqual(await world.rejects("by-duckdb"));
  });

  test("a script for elsewhere makes the tables that a dataset is then made from; half of them are refused", async () => {
    using world = new World();
    // Without times the order of the rows counts. They are at a URL: nothing about them is known before Spark has read them.
    await world.parquet(
      "ratings.parquet",
      `SELECT 'u' || (k % 23) AS "who", 'i' || ((k * k) % 37) AS "what", CASE WHEN k = 7 THEN 'x' ELSE CAST(1 + k % 5 AS VARCHAR) END AS stars FROM range(400) AS t(k)`,
    );
    const columns = { user: "who", item: "what", rating: "stars", time: null };
    const rest: Partial<ConfigInput> = {
      split: { by: "random", fraction: 0.2 },
      truth: { minCommonUsers: 1 },
      factors: { count: 0 },
    };
    await world.prepare({ ...rest, interactions: { files: "ratings.parquet", columns } }, { out: "by-duckdb" });
    const input: ConfigInput = {
      ...rest,
      interactions: { files: pathToFileURL(world.path("ratings.parquet")).href, columns },
    };
    const storage = world.path("shared");
    const spark = { ...onCluster, storage };
    await stageOnly(parseConfig(input), { folder: world.folder, spark });
    const { sql } = await sparkScriptOf(parseConfig(input), { folder: world.folder, spark });
    const job = { name: "elsewhere", folder: world.path("job"), sql, master: cluster.master, conf };
    await runSpark(await findSpark(env), job);
    const { notes } = await world.prepare(input, { out: "by-spark", spark: { tables: storage } });
    expect(notes[0]).toBe("the interactions, 1 file at a URL, were read by Spark and are not hashed");
    await expectSameDataset(world.path("by-spark"), world.path("by-duckdb"), ["config", "inputs", "notes", "rejects"]);
    expect((await world.rejects("by-spark"))[0]).toMatch(
      /ratings\.parquet:8 stars: rating is not a number "x" \(row\)$/,
    );

    const otherwise = world.prepare({ ...input, seed: 2 }, { out: "otherwise", spark: { tables: storage } });
    await expect(otherwise).rejects.toThrow(/holds the tables of a script with other settings/);
    world.csv("films.csv", ["id", "title"], [["i1", "One"]]);
    const described = { ...input, items: { files: "films.csv" } };
    await stageOnly(parseConfig(described), { folder: world.folder, spark });
    const others = world.prepare(described, { out: "others", spark: { tables: storage } });
    await expect(others).rejects.toThrow(/holds the tables of /);

    rmSync(join(storage, "tables/pairs/_SUCCESS"));
    const again = world.prepare(input, { out: "again", spark: { tables: storage } });
    await expect(again).rejects.toThrow(
      /does not hold all tables: there is no finished pairs; run the script to its end/,
    );
    expect(existsSync(world.path("again"))).toBe(false);
  });

  test("a run that fails leaves no dataset, and says why in a sentence", async () => {
    using world = new World();
    await world.parquet("ratings.parquet", "SELECT 'u' AS userId, 'i' AS movieId, 4.0 AS rating, 1 AS timestamp");
    const config = { interactions: { files: "ratings.parquet" }, split: { by: "none" as const } };
    // The workers do not see what this machine sees: here, a file that is gone when the job begins.
    const gone = world.prepare(config, {
      out: "gone",
      spark: onCluster,
      onEvent: (event) => {
        if (event.type === "done" && event.name === "stage") rmSync(world.path("ratings.parquet"));
      },
    });
    await expect(gone).rejects.toMatchObject({
      code: "BAD_SOURCE",
      message: expect.stringMatching(
        /Spark finds nothing at .*ratings\.parquet: every worker must be able to read it; Spark's log is/,
      ),
    });
    expect(existsSync(world.path("gone"))).toBe(false);
  });

  test("a worker that has the storage for itself is found out: what it writes would be missed by nobody", async ({
    skip,
  }) => {
    if (spawnSync("unshare", ["--mount", "true"]).status !== 0) skip("only root can give a worker a disk of its own");
    using world = new World();
    const storage = world.path("shared");
    mkdirSync(storage);
    await world.parquet(
      "ratings.parquet",
      "SELECT 'u' || (k % 211) AS userId, 'i' || (k * k % 97) AS movieId, 1 + k % 5 AS rating, k AS timestamp FROM range(20000) AS t(k)",
    );
    using _lone = await loneWorker(world, storage);
    const tasksForAll = ["spark.sql.files.maxPartitionBytes=2k", "spark.sql.files.openCostInBytes=0"];
    const onlyOnce = "spark.task.maxFailures=1"; // else others may do all that it cannot
    const torn = world.prepare(
      { interactions: { files: "ratings.parquet" }, split: { by: "none" } },
      { out: "torn", spark: { ...onCluster, conf: [...conf, ...tasksForAll, onlyOnce], storage } },
    );
    await expect(torn).rejects.toThrow("--storage must be a folder that all workers and this machine see, or a URL; ");
    expect(existsSync(world.path("torn"))).toBe(false);
  });

  test("rows that a worker has written and nobody reads back are missed", async () => {
    using world = new World();
    world.ratings(Array.from({ length: 30 }, (_, k) => [`u${k % 5}`, `i${k % 7}`, 1 + (k % 5), k]));
    const config = parseConfig({
      interactions: { files: "ratings.csv" },
      split: { by: "none" },
      factors: { count: 0 },
    });
    const spark = { conf, env, storage: world.path("shared") };
    await stageOnly(config, { folder: world.folder, spark });
    const { sql } = await sparkScriptOf(config, { folder: world.folder, spark });
    const lossy = sql.replace(/(\/checked_interactions' USING parquet\n)([^;]*);/, "$1SELECT * FROM ($2) LIMIT 29;");
    expect(lossy).not.toBe(sql);
    const job = { name: "lossy", folder: world.path("job"), sql: lossy, master: "local[1]", conf };
    await expect(runSpark(await findSpark(env), job)).rejects.toThrow(
      "rows that workers have written are missing: --storage must be a folder that all workers and this machine see",
    );
  });

  test.concurrent.each([
    ["no rows", [], "BAD_SOURCE", /^interactions: the files hold no rows$/],
    ["no row that can be used", ["u,i,many,1", "u,j,few,2"], "TOO_MANY_REJECTS", /^interactions: 2 of 2 /],
    ["nothing left for training", ["u,i,3,1", "v,i,4,1"], "BAD_SOURCE", /^no interaction is left for training/],
  ])("%s: what DuckDB says", async (_, lines, code, message) => {
    using world = new World();
    world.write("ratings.csv", ["userId,movieId,rating,timestamp", ...lines, ""].join("\n"));
    const error = { code, message: expect.stringMatching(message) };
    await expect(world.prepare({}, { out: "by-duckdb" })).rejects.toMatchObject(error);
    const spark = { conf, env, master: "local[1]" };
    await expect(world.prepare({}, { out: "by-spark", spark })).rejects.toMatchObject(error);
    expect(existsSync(world.path("by-spark"))).toBe(false);
  });

  test("a master that is not there, or is none, is found out before anything starts", async () => {
    using world = new World();
    world.ratings([["u", "i", 4, 1]]);
    const on = (master: string) => world.prepare({ split: { by: "none" } }, { spark: { ...onCluster, master } });
    await expect(on("spark://127.0.0.1:1")).rejects.toMatchObject({
      code: "ENGINE_UNAVAILABLE",
      message:
        "the Spark master spark://127.0.0.1:1 cannot be reached (ECONNREFUSED): is it running, and is that its address?",
    });
    await expect(on("sparc://here")).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
    expect(readdirSync(world.folder).filter((name) => name === "out")).toEqual([]);
  });

  test("MovieLens, the first users of 25M", async ({ skip }) => {
    const shared = process.env.NEARKIN_SHARED_DATA ?? fileURLToPath(new URL("../../../shared/data", import.meta.url));
    const folder = join(shared, "ml-25m-prefix");
    if (!existsSync(join(folder, "ratings.csv"))) skip(`no ml-25m-prefix in ${shared}`);
    using world = new World();
    const config = parseConfig({
      interactions: { files: "ratings.csv", ratingRange: [0.5, 5] },
      items: { files: "items.csv" },
      channels: { genres: { type: "categories", column: "genres", missing: ["(no genres listed)"] } },
      factors: { count: 8 },
    });
    await prepare(config, { folder, out: world.path("by-duckdb") });
    await prepare(config, { folder, out: world.path("by-spark"), spark: onCluster });
    await expectSameDataset(world.path("by-spark"), world.path("by-duckdb"));
  });
});

/** A further worker, which sees an empty folder of its own where the others see `storage`. */
async function loneWorker(world: World, storage: string): Promise<Disposable> {
  const mount = 'mount -t tmpfs none "$0" && exec "$@"';
  const program = [join(cluster.home, "bin/spark-class"), "org.apache.spark.deploy.worker.Worker"];
  const place = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0", "--work-dir", world.path("work")];
  const size = ["--cores", "1", "--memory", "1536M"];
  const worker = spawn(
    "unshare",
    ["--mount", "sh", "-c", mount, storage, ...program, ...place, ...size, cluster.master],
    {
      env: { ...env, SPARK_LOCAL_IP: "127.0.0.1", SPARK_DAEMON_MEMORY: "256m" },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const said: string[] = [];
  for await (const line of createInterface({ input: worker.stderr })) {
    said.push(line);
    if (!line.includes("Successfully registered with master")) continue;
    worker.stderr.resume();
    return { [Symbol.dispose]: () => void worker.kill("SIGKILL") };
  }
  throw new Error(`no worker: ${said.join("\n")}`);
}

async function prepareSample(world: World, out: string, options: Partial<PrepareOptions>): Promise<void> {
  using source = await resolveSource("marquee");
  const config = parseConfig(source.config, source.description);
  for (const channel of Object.values(config.channels)) if (channel.type === "text") channel.encoder = "lsa";
  await prepare(config, { folder: source.folder, out: world.path(out), ...options });
}

/** Two files with every kind of id, rating and time that one would not expect, and columns in another order. */
async function writeOddTables(world: World): Promise<void> {
  const ids = [
    "a",
    "b",
    "tab\there",
    "back\\slash",
    "it's",
    'say "hi"',
    "Ünïcödé 中文 😀",
    "two\nlines",
    "{curly}",
    "",
    " padded ",
  ];
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
  const times = ["2001-09-09", "1e9", "1000000000123", "2001-09-09T03:46:40+02:00", "2001-09-09T24:00:00", "never", ""];
  const ratings = ["1", "4.5", " 3 ", "1d", "1_0", "NaN", "6", "+2", ".5", ""];
  const rows = Array.from({ length: 300 }, (_, k) => {
    const [user, item] = [ids[(k * 7) % ids.length], ids[(k * k + k) % ids.length]];
    return `(${text(user)}, ${text(item)}, ${text(ratings[(k * 3) % ratings.length])}, ${text(k % 5 === 0 ? times[(k / 5) % times.length] : String(1e9 + 1000 * k))})`;
  });
  const table = (part: readonly string[]) => `(VALUES ${part.join(", ")}) AS t("user;id", item, rating, time)`;
  await world.parquet("part 1+é [a]; -- {b,c}.parquet", `SELECT * FROM ${table(rows.slice(0, 170))}`);
  await world.parquet(
    "part 2%20.parquet",
    `SELECT 0 AS more, time, item, rating, "user;id" FROM ${table(rows.slice(170))}`,
  );
}
