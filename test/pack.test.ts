// What a user gets: every package is built and packed in a copy of the repository, installed from its tarball into an empty
// folder, and run there. The working tree, its dist/ included, is left alone.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProblems } from "../scripts/release/check.ts";
import { build, copyRepository, environmentWithoutNpm, type Packed, pack } from "../scripts/release/pack.ts";
import { readJson } from "../scripts/release/workspace.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const packages = [
  "@nearkin/client",
  "@nearkin/core",
  "@nearkin/data",
  "@nearkin/evaluate",
  "@nearkin/native",
  "@nearkin/serve",
  "@nearkin/train",
  "@nearkin/web",
  "nearkin",
];
const version = readJson(join(repository, "packages/cli/package.json")).version;

let root: string; // everything below lives here
let copy: string; // of the repository, built
let packed: Packed[];
let plain: Installation; // without @nearkin/native
let full: Installation;

interface Installation extends Run {
  folder: string;
}

interface Run {
  stdout: string;
  stderr: string;
}

/** Runs a program without the user's own npm settings, which could add warnings that are not ours. */
function run(cwd: string, program: string, ...args: string[]): Promise<Run> {
  const env = {
    ...environmentWithoutNpm(),
    NPM_CONFIG_USERCONFIG: join(root, "npmrc"),
    NPM_CONFIG_UPDATE_NOTIFIER: "false",
  };
  return promisify(execFile)(program, args, { cwd, env });
}

/** Of the user's npm settings, those that say where packages come from. */
function sourceSettings(): string {
  const file = process.env.npm_config_userconfig ?? process.env.NPM_CONFIG_USERCONFIG ?? join(homedir(), ".npmrc");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines
    .filter((line) => /^(@[^=]*:)?registry *=|^\/\/|^(cafile|proxy|https-proxy|noproxy|cache) *=/.test(line))
    .join("\n");
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-pack-"));
  writeFileSync(join(root, "npmrc"), sourceSettings());
  copy = copyRepository(repository, join(root, "copy"));
  await build(copy);
  packed = await pack(copy, join(root, "tarballs"));

  plain = await installInto("plain", {}, [
    "nearkin",
    "@nearkin/client",
    "@nearkin/core",
    "@nearkin/data",
    "@nearkin/evaluate",
    "@nearkin/serve",
    "@nearkin/train",
  ]);
  // npm lists install scripts that nobody has decided about; koffi's is not needed, its binary comes prebuilt.
  full = await installInto("full", { allowScripts: { koffi: false } }, packages);
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

/** A user's empty folder with some of the tarballs installed. */
async function installInto(name: string, settings: object, chosen: readonly string[]): Promise<Installation> {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", ...settings }));
  const tarballs = packed.filter((each) => chosen.includes(each.name)).map(({ tarball }) => tarball);
  return {
    folder,
    ...(await run(
      folder,
      "npm",
      "install",
      "--prefer-offline",
      "--no-audit",
      "--no-fund",
      "--no-update-notifier",
      ...tarballs,
    )),
  };
}

describe("the tarballs", () => {
  test("are those of every package", () => {
    expect(packed.map(({ name }) => name).sort()).toEqual(packages);
  });

  test("have what users need, nothing else, and satisfy publint", async () => {
    const license = readFileSync(join(repository, "LICENSE"), "utf8");
    expect(await findProblems(packed, { version, names: packages, license, folders: [repository, copy] })).toEqual([]);
  });

  test("hold the SQL steps, the sample and the encoders of data", () => {
    const steps = readdirSync(join(repository, "packages/data/sql")).map((step) => `sql/${step}`);
    const data = packed.find(({ name }) => name === "@nearkin/data");
    expect(data?.files).toEqual(
      expect.arrayContaining([
        ...steps,
        "sample/films.jsonl",
        "dist/encoders.js",
        "dist/encoders.d.ts",
        "dist/minilm-thread.js",
      ]),
    );
  });

  test("hold what Spark's executors run, which needs nothing else", async () => {
    const cli = packed.find(({ name }) => name === "nearkin");
    expect(cli?.files).toContain("dist/nearkin-personalize.mjs");
    const alone = join(root, "nearkin-personalize.mjs");
    cpSync(join(plain.folder, "node_modules/nearkin/dist/nearkin-personalize.mjs"), alone);
    await expect(run(root, process.execPath, alone, "nowhere")).rejects.toMatchObject({
      code: 1,
      stderr: "BAD_MODEL: nowhere does not exist; expected a folder that nearkin train wrote\n",
    });
  });

  test("hold the page, with everything that its first file names", async () => {
    const web = packed.find(({ name }) => name === "@nearkin/web");
    const page = readFileSync(join(full.folder, "node_modules/@nearkin/web/dist/index.html"), "utf8");
    const named = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path]) => `dist/${path}`);
    expect(named.length).toBeGreaterThanOrEqual(4);
    expect(web?.files).toEqual(expect.arrayContaining(named));
    const program = `
      import { existsSync } from "node:fs";
      import { pageFolder } from "@nearkin/web/page";
      console.log(existsSync(new URL("index.html", pageFolder)));
    `;
    writeFileSync(join(full.folder, "page.js"), program);
    expect(await run(full.folder, process.execPath, "page.js")).toEqual({ stdout: "true\n", stderr: "" });
  });
});

describe.each(["plain", "full"] as const)("a %s installation", (kind) => {
  const installation = () => ({ plain, full })[kind];

  test("prints no warning", () => {
    const { stdout, stderr } = installation();
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^\s*added \d+ packages in \S+\s*$/);
  });

  test("runs the command", async () => {
    const { folder } = installation();
    const { stdout, stderr } = await run(folder, "npx", "nearkin", "--version");
    expect(stderr).toBe("");
    expect(stdout).toBe(`${version}\n`);
    const engines = await run(folder, "npx", "nearkin", "engines");
    expect(engines.stderr).toBe("");
    expect(engines.stdout).not.toBe("");
  });

  test("exits with 2 on a mistyped command", async () => {
    await expect(run(installation().folder, "npx", "nearkin", "demmo")).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean demo?"),
    });
  });

  test("prepares, inspects and trains the sample in an empty folder, and answers from a program", async () => {
    const { folder } = installation();
    const empty = join(folder, "empty");
    mkdirSync(empty);
    const nearkin = join(folder, "node_modules/.bin/nearkin");
    const prepared = await run(empty, nearkin, "prepare", "marquee", "--encoder", "lsa", "--out", "d");
    expect(prepared.stdout).toContain("51,427 interactions of 640 users with 360 items, SIMULATED\n");
    const inspected = await run(empty, nearkin, "inspect", "d", "--json");
    expect(inspected.stderr).toBe("");
    expect(JSON.parse(inspected.stdout)).toMatchObject({ name: "marquee", simulated: true, counts: { items: 360 } });
    expect(readdirSync(empty)).toEqual(["d"]);

    const steps = "train: { siamese: { steps: 4, batch: 32 }, ssl: { steps: 2, batch: 64, inducing: 16 } }\n";
    writeFileSync(join(empty, "nearkin.yaml"), steps);
    const trained = await run(
      empty,
      nearkin,
      "train",
      "d",
      "--preset",
      "fast",
      "--config",
      "nearkin.yaml",
      "--out",
      "m",
    );
    expect(trained.stdout).toContain("next         nearkin similar m ");
    const similar = await run(empty, nearkin, "similar", "m", "alien-1979", "--k", "3", "--json");
    expect(JSON.parse(similar.stdout).items).toHaveLength(3);
    const program = `
      import { openModel } from "nearkin";
      const model = await openModel("m");
      console.log((await model.similar("alien-1979", { k: 2 })).items.length);
      await model.close();
    `;
    writeFileSync(join(folder, "similar.js"), program.replace('"m"', '"empty/m"'));
    expect(await run(folder, process.execPath, "similar.js")).toEqual({ stdout: "2\n", stderr: "" });
    rmSync(empty, { recursive: true });
  });

  test("loads DuckDB where it is used, and never for the encoders", async () => {
    const program = `
      import { createRequire } from "node:module";
      import { openEncoder } from "@nearkin/data/encoders";
      const loaded = () => [...Object.keys(createRequire(import.meta.url).cache), ...process.report.getReport().sharedObjects];
      const hasDuckdb = () => loaded().some((path) => /duckdb/i.test(path));
      const encoder = await openEncoder("minilm");
      console.log((await encoder.encode(["a lighthouse"])).length, hasDuckdb());
      await encoder.close();
      const { readParquetVectors } = await import("@nearkin/data");
      const unused = hasDuckdb();
      await readParquetVectors("encode.js").catch(() => {}); // no Parquet, but DuckDB has to look
      console.log(unused, hasDuckdb()); // where it is, it would be seen
    `;
    const { folder } = installation();
    writeFileSync(join(folder, "encode.js"), program);
    expect(await run(folder, process.execPath, "encode.js")).toEqual({ stdout: "384 false\nfalse true\n", stderr: "" });
  });

  test("offers core as a library", async () => {
    const program = `
      import { createEngine } from "@nearkin/core";
      const engine = await createEngine({ workers: 2 });
      const scope = engine.scope();
      const A = scope.matrix(2, 2).write([1, 2, 3, 4]);
      const C = scope.matrix(2, 2);
      engine.gemm(C, A, A);
      console.log(engine.info.kind, engine.info.workers, C.read().join(" "));
    `; // the engine is not closed: its worker must not keep the process alive
    const { folder } = installation();
    writeFileSync(join(folder, "multiply.js"), program);
    expect(await run(folder, process.execPath, "multiply.js")).toEqual({ stdout: "wasm 2 7 10 15 22\n", stderr: "" });
  });
});
