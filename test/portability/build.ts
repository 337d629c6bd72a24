// Builds core as it is published, and the program on top of it by every bundler at hand, each with no more settings than where
// to read and where to write. Nothing is written outside the given folder.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as esbuild, transform } from "esbuild";
import { rolldown } from "rolldown";
import { build as tsdown } from "tsdown";
import { build as vite } from "vite";

/** A form of the program that pages can load. */
export interface Bundle {
  name: string;
  folder: string;
  /** The program, relative to `folder`. */
  script: string;
  type: "module" | "classic";
  /** A module that starts the program in a worker the way this bundler knows, relative to `folder`. */
  starter?: string;
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
  return [{ name: "unbundled", folder, script: "program.js", type: "module" }, esm];
}

/** Two pages, which is where vite begins: one runs the program, one starts it in a worker. */
async function byVite(root: string): Promise<Bundle> {
  const folder = join(root, "out/vite");
  const page = (script: string) => `<!doctype html><script type="module" src="./${script}"></script>`;
  writeFileSync(join(root, "page.html"), page("program.ts"));
  writeFileSync(join(root, "worker.html"), page("starter.ts"));
  writeFileSync(
    join(root, "starter.ts"),
    `new Worker(new URL("./program.ts", import.meta.url), { type: "module" }).postMessage(location.search);`,
  );
  const input = [join(root, "page.html"), join(root, "worker.html")];
  const settings = { outDir: folder, rolldownOptions: { input } };
  await vite({ root, base: "./", configFile: false, logLevel: "error", build: settings });
  const scriptOf = (name: string) => {
    const script = / src="([^"]+)"/.exec(readFileSync(join(folder, name), "utf8"))?.[1];
    if (!script) throw new Error(`vite's ${name} loads no script`);
    return script;
  };
  return {
    name: "vite",
    folder,
    script: scriptOf("page.html"),
    type: "module",
    starter: scriptOf("worker.html"),
  };
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
  return { name: `esbuild-${format}`, folder, script: "program.js", type };
}

async function byRolldown(root: string): Promise<Bundle> {
  const folder = join(root, "out/rolldown");
  const bundle = await rolldown({ input: join(root, "program.ts"), cwd: root });
  await bundle.write({ dir: folder });
  await bundle.close();
  return { name: "rolldown", folder, script: "program.js", type: "module" };
}
