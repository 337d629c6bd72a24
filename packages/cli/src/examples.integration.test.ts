// The programs in examples/ run, as their first lines say, on a model folder.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeTinyModel } from "./testing/model-folder.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const tsx = join(root, "node_modules/.bin/tsx");
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-examples-"));
  await writeTinyModel(join(folder, "tiny"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function example(name: string, ...args: string[]): Promise<string> {
  return (await start(name, join(folder, "tiny"), ...args)).stdout;
}

function start(name: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const program = join(root, "examples", `${name}.ts`);
  return promisify(execFile)(tsx, ["--conditions=@nearkin/source", program, ...args], { cwd: root });
}

test("because-you-watched", async () => {
  expect(await example("because-you-watched", "The Quiet Harbour")).toMatchInlineSnapshot(`
    "Because you watched The Quiet Harbour:
    1. The Golden Harbour: similar title, similar released
    2. The Frozen Harbour: similar title, similar identity (#1 without poster)
    3. The Burning Garden: nearly the same place, similar genres (#1 without title)
    4. The Distant Letter: similar genres, similar poster (#1 without title)
    5. The Burning Winter: nearly the same poster, similar identity (#1 without released)
    "
  `);
});

test("new-item", async () => {
  expect(
    await example("new-item", '{"title": "The Quiet Winter", "genres": ["Drama"], "year": 1987}'),
  ).toMatchInlineSnapshot(`
    "without plot: not given
    without poster: not given
    without released: not given
    without place: not given
    without identity: a new item has no vector of its own
    Nearest items:
    1. The Burning Winter, distance 5.73
    2. The Quiet Winter, distance 6.13
    3. The Quiet Garden, distance 6.82
    4. The Quiet River, distance 7.10
    5. The Hidden Garden, distance 7.20
    Expected rating: 3.49 ± 0.60; a single one: ± 0.73
    "
  `);
});

test("your-own-weights", async () => {
  expect(await example("your-own-weights", "f000", "plot=3", "year=0")).toMatchInlineSnapshot(`
    "learned: The Golden Harbour, The Burning Garden, The Frozen Harbour
    yours: The Golden Harbour, The Quiet Winter, The Distant Letter
    title alone: The Hidden Harbour, The Distant Harbour, The Golden Harbour
    plot alone: The Burning Harbour, The Burning Winter, The Burning River
    The Quiet Harbour can expect a mean rating of 2.97 ± 0.40
    "
  `);
});

test("say how they are used, without a stack", async () => {
  for (const name of ["because-you-watched", "new-item", "your-own-weights"]) {
    const failed = await start(name).then(
      () => undefined,
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    expect({ code: failed?.code, out: failed?.stdout }).toEqual({ code: 2, out: "" });
    expect(failed?.stderr).toMatch(new RegExp(`^usage: ${name}\\.ts <model folder> .*\\n$`));
  }
});

test("their first lines name items and channels of the sample", () => {
  for (const name of ["because-you-watched", "new-item", "your-own-weights"]) {
    const [, run] = readFileSync(join(root, "examples", `${name}.ts`), "utf8").split("\n");
    expect(run).toMatch(
      /models\/films (?:"The Third Man"|the-third-man-1949 plot=2 year=0|'\{"genres": \["Drama"\], "year": 1951\}')$/,
    );
  }
});

test("are short, and each has its test", () => {
  const files = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"));
  expect(files.sort()).toEqual(["because-you-watched.ts", "new-item.ts", "your-own-weights.ts"]);
  for (const name of files) {
    expect(readFileSync(join(root, "examples", name), "utf8").split("\n").length).toBeLessThan(60);
  }
});
