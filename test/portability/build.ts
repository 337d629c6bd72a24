// Builds core as it is published, and the program on top of it by every bundler at hand, each with no more settings than where
// to read and where to write. Nothing is written outside the given folder.
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build as esbuild, version as esbuildVersion, transform } from "esbuild";
import { VERSION as rolldownVersion, rolldown } from "rolldown";
import { build as tsdown } from "tsdown";
import { build as vite, version as viteVersion } from "vite";

/** A form of the program that pages can load. */
export interface Bundle {
  name: string;
  /** With its version. */
  bundler: string;
  folder: string;
  /** Relative to `folder`. */
  script: string;
  type: "module" | "classic";
}

export interface Built {
  bundles: Bundle[];
  /** Files for Node: the program importing the installed package, and the program as one CommonJS file. */
  node: { esm: string; commonjs: string };
}

const source = fileURLToPath(new URL("program.ts", import.meta.url));

/** Everything lies under `root`, an empty folder that stands for a user's project. */
export async function buildAll(root: string): Promise<Built> {
  await installCore(root);
  const program = join(root, "program.ts");
  cpSync(source, program);
  // Vite's way in is a page.
  writeFileSync(join(root, "index.html"), `<!doctype html><script type="module" src="/program.ts"></script>`);
  writeFileSync(join(root, "package.json"), JSON.stringify({ private: true, type: "module" }));

  const [unbundled, esm] = await withoutBundler(root);
  const commonjs = join(root, "out/node/program.cjs");
  await esbuild({ entryPoints: [program], bundle: true, platform: "node", outfile: commonjs, logLevel: "error" });
  return {
    bundles: [
      unbundled,
      await byVite(root),
      await byEsbuild(root, "esm"),
      await byEsbuild(root, "iife"),
      await byRolldown(root),
    ],
    node: { esm, commonjs },
  };
}

/** Bytes of core itself, minified and then compressed: what it adds to a page. */
export async function coreSize(root: string): Promise<{ minified: number; compressed: number }> {
  const outfile = join(root, "out/size/core.js");
  const stdin = { contents: `export * from "@nearkin/core"`, resolveDir: root };
  await esbuild({ stdin, bundle: true, minify: true, format: "esm", outfile, logLevel: "error" });
  return { minified: statSync(outfile).size, compressed: gzipSync(readFileSync(outfile), { level: 9 }).length };
}

/** The package in node_modules, without its sources: so nobody can take them by mistake. */
async function installCore(root: string): Promise<void> {
  const core = fileURLToPath(new URL("../../packages/core/", import.meta.url));
  const target = join(root, "node_modules/@nearkin/core");
  mkdirSync(target, { recursive: true });
  cpSync(join(core, "package.json"), join(target, "package.json"));
  await tsdown({
    cwd: core,
    config: join(core, "tsdown.config.ts"),
    outDir: join(target, "dist"),
    dts: false,
    logLevel: "warn",
    failOnWarn: true,
  });
}

/** Types taken away, nothing else: for Node as it is, for pages with the package's address instead of its name. */
async function withoutBundler(root: string): Promise<[Bundle, string]> {
  const { code } = await transform(readFileSync(source, "utf8"), { loader: "ts" });
  const esm = join(root, "program.js");
  writeFileSync(esm, code);
  const folder = join(root, "out/unbundled");
  cpSync(join(root, "node_modules/@nearkin/core/dist"), join(folder, "core"), { recursive: true });
  writeFileSync(join(folder, "program.js"), code.replace(`"@nearkin/core"`, `"./core/index.js"`));
  return [{ name: "unbundled", bundler: "none", folder, script: "program.js", type: "module" }, esm];
}

async function byVite(root: string): Promise<Bundle> {
  const folder = join(root, "out/vite");
  await vite({ root, configFile: false, logLevel: "error", build: { outDir: folder } });
  const script = /src="\/([^"]+)"/.exec(readFileSync(join(folder, "index.html"), "utf8"))?.[1];
  if (!script) throw new Error("vite's index.html loads no script");
  return { name: "vite", bundler: `vite ${viteVersion}`, folder, script, type: "module" };
}

async function byEsbuild(root: string, format: "esm" | "iife"): Promise<Bundle> {
  const folder = join(root, `out/esbuild-${format}`);
  const outfile = join(folder, "program.js");
  await esbuild({
    entryPoints: [join(root, "program.ts")],
    bundle: true,
    minify: true,
    format,
    outfile,
    logLevel: "error",
  });
  const type = format === "esm" ? "module" : "classic";
  return { name: `esbuild-${format}`, bundler: `esbuild ${esbuildVersion}`, folder, script: "program.js", type };
}

async function byRolldown(root: string): Promise<Bundle> {
  const folder = join(root, "out/rolldown");
  const bundle = await rolldown({ input: join(root, "program.ts"), cwd: root });
  await bundle.write({ dir: folder });
  await bundle.close();
  return { name: "rolldown", bundler: `rolldown ${rolldownVersion}`, folder, script: "program.js", type: "module" };
}
