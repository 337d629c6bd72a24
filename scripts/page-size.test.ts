// What the page costs before anything can be seen, and that nothing in it breaks its own policy.
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { beforeAll, describe, expect, test } from "vitest";

type Output = Rolldown.OutputChunk | Rolldown.OutputAsset;

const MAX_SCRIPT_BYTES = 200_000; // bytes, gzipped, of the script that Explore loads at once
const MAX_WORKER_BYTES = 200_000; // the same of the worker, which loads beside it

let files: readonly Output[];
let page: string;

beforeAll(async () => {
  const built = await build({
    configFile: fileURLToPath(new URL("../packages/web/vite.config.ts", import.meta.url)),
    logLevel: "silent",
    build: { write: false },
  });
  files = (built as Rolldown.RolldownOutput).output;
  page = textOf(files.find(({ fileName }) => fileName === "index.html") as Output);
});

const textOf = (file: Output): string =>
  file.type === "chunk" ? file.code : Buffer.from(file.source as Uint8Array).toString();

const gzipped = (file: Output): number => gzipSync(textOf(file), { level: 9 }).length;

/** A script and all that it cannot begin without. */
function withImports(fileName: string, seen = new Set<string>()): Set<string> {
  if (seen.has(fileName)) return seen;
  seen.add(fileName);
  const file = files.find((one) => one.fileName === fileName);
  if (file?.type === "chunk") for (const imported of file.imports) withImports(imported, seen);
  return seen;
}

const firstScripts = (): Output[] => {
  const named = [...page.matchAll(/<script[^>]* src="\/([^"]+)"/g)].map(([, fileName]) => fileName);
  const all = new Set(named.flatMap((fileName) => [...withImports(fileName)]));
  return files.filter(({ fileName }) => all.has(fileName));
};

describe("the built page", () => {
  test(`loads at most ${MAX_SCRIPT_BYTES / 1000} kB of script at once`, () => {
    const sizes = firstScripts().map(gzipped);
    expect(sizes.length).toBeGreaterThanOrEqual(2); // the theme, and the page itself
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  });

  test(`has a worker of at most ${MAX_WORKER_BYTES / 1000} kB`, () => {
    const workers = files.filter(({ fileName }) => /^assets\/worker-[\w-]+\.js$/.test(fileName));
    expect(workers.length).toBe(1);
    expect(gzipped(workers[0])).toBeLessThanOrEqual(MAX_WORKER_BYTES);
  });

  test("leaves the other screens until one goes there", () => {
    const first = firstScripts().map(({ fileName }) => fileName);
    expect(files.filter(({ fileName }) => /-screen-/.test(fileName)).length).toBeGreaterThanOrEqual(5);
    expect(first.filter((fileName) => /-screen-/.test(fileName))).toEqual([]);
  });

  test.each([
    ["uplot", "model-screen"],
    ["@observablehq/plot", "figures"],
  ])("has %s in one script alone, which no other screen needs", (name, place) => {
    const holding = files.filter(
      (file) => file.type === "chunk" && file.moduleIds.some((id) => id.includes(`/node_modules/${name}/`)),
    );
    expect(holding.map(({ fileName }) => fileName)).toEqual([expect.stringMatching(`^assets/${place}-`)]);
    const needing = files.filter(
      (file) => file.type === "chunk" && holding.some(({ fileName }) => file.imports.includes(fileName)),
    );
    expect(needing.map(({ fileName }) => fileName)).toEqual([]);
  });

  test("has no inline script or style, and names nothing elsewhere", () => {
    expect(page).not.toMatch(/<script(?![^>]* src=)[^>]*>/);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
    expect(page).not.toMatch(/(?:src|href)="(?!\/assets\/)/);
  });

  test("makes no script of a data: URL", () => {
    const scripts = files.filter(({ fileName }) => fileName.endsWith(".js"));
    for (const file of scripts)
      expect(textOf(file), file.fileName).not.toMatch(/data:(?:text|application)\/javascript/);
  });

  test("gives every file but the first, and the one that keeps them, a name that changes with it", () => {
    const odd = files.filter(({ fileName }) => !/^(?:index\.html|sw\.js|assets\/[\w-]+-[\w-]{8}\.\w+)$/.test(fileName));
    expect(odd.map(({ fileName }) => fileName)).toEqual([]);
  });

  test("is kept whole: the service worker imports nothing, and names all that lies under assets/", () => {
    const worker = textOf(files.find(({ fileName }) => fileName === "sw.js") as Output);
    expect(worker).not.toMatch(/\bimport\b|\bexport\b/); // not every browser has modules there
    const build = JSON.parse(/\{"version":.*?\]\}/.exec(worker)?.[0] ?? "null");
    const assets = files.map(({ fileName }) => `/${fileName}`).filter((name) => name.startsWith("/assets/"));
    expect(build).toEqual({ version: expect.stringMatching(/^[\w-]{12}$/), files: assets.sort() });
  });
});
