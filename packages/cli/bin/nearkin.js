#!/usr/bin/env node
// The front door. An installed package runs its built `dist/`; a clone, which has `src/` beside this file, runs the TypeScript
// source in this same process: tsx strips the types, and one resolve hook makes the packages find each other's source.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const source = new URL("../src/main.ts", import.meta.url);
const inClone = existsSync(source);

// `nearkin … | head` closes our output early: that is the reader's choice, not a failure.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

try {
  if (inClone) {
    buildMissingKernels();
    await registerSource();
  }
  const { main } = await import(inClone ? source.href : "../dist/main.js");
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const hint = inClone ? cloneHint(error) : undefined;
  if (!hint) throw error;
  process.stderr.write(`${hint}\n`);
  process.exitCode = 1;
}

/** A fresh clone has no kernels yet; they take some seconds, once. */
function buildMissingKernels() {
  const core = new URL("../../core/", import.meta.url);
  const script = new URL("scripts/build-kernels.mjs", core);
  if (existsSync(new URL("src/linalg/wasm/kernels.generated.ts", core)) || !existsSync(script)) return;
  process.stderr.write("building the compute kernels, this once …\n");
  spawnSync(process.execPath, [fileURLToPath(script)], { stdio: ["ignore", "ignore", "ignore"] }); // what fails is said below
}

async function registerSource() {
  const { register } = await import("tsx/esm/api");
  register();
  const hook = `export function resolve(specifier, context, next) {
    return next(specifier, { ...context, conditions: ["@nearkin/source", ...context.conditions] });
  }`;
  module.register(`data:text/javascript,${encodeURIComponent(hook)}`);
}

/** What to do about a clone that is not ready to run; `undefined` for any other error. */
function cloneHint(error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND") return undefined;
  if (/\.generated\b/.test(error.message))
    return "KERNELS_MISSING: the compute kernels are not built yet; run: npm run kernels";
  if (/node_modules|Cannot find package/.test(error.message)) {
    return "DEPENDENCIES_MISSING: the dependencies are not installed yet; run: npm install";
  }
  return undefined;
}
