// What a page pays for the client: neither zod, nor the contract, nor what it does not use.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";

async function bundled(source: string): Promise<{ files: string[]; gzipped: number }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
    platform: "browser", // nothing of Node's can be resolved
  });
  const [{ contents }] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  const files = Object.entries(output.inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []));
  return { files, gzipped: gzipSync(contents, { level: 9 }).length };
}

test("a page with the client alone carries what README.md says", async () => {
  const { files, gzipped } = await bundled('import { createClient } from "./index.ts"; createClient({ url: "/" });');
  expect(files.filter((file) => /zod|contract|build\.ts/.test(file))).toEqual([]);
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  expect(readme).toContain(`${(gzipped / 1000).toFixed(1)} kB gzipped`);
});

test("zod comes with the contract, and only with it", async () => {
  const { files } = await bundled(
    'import { createClient } from "./index.ts"; import { validateAnswer } from "./contract/index.ts"; createClient({ url: "/", validate: validateAnswer });',
  );
  expect(files.some((file) => file.includes("node_modules/zod"))).toBe(true);
});

test("filters alone are smaller still", async () => {
  const { files } = await bundled('import { where } from "./index.ts"; globalThis.x = where("year").is(1);');
  expect(files.filter((file) => file !== "<stdin>")).toEqual([expect.stringMatching(/filter\/build\.ts$/)]);
});
