// @ts-check
// Builds every package's `dist/` by its own tsdown.config.ts, the page's by vite.config.ts before, and at last what Spark's executors run:  node scripts/build.mjs
// (tsdown's API rather than its command, which warns about Node 20 on every run.)
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "tsdown";
import { build as buildPage } from "vite";
import { buildExecutor } from "./build-executor.mjs";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));
for (const name of readdirSync(packages).sort()) {
  const config = `${packages}${name}/tsdown.config.ts`;
  if (!existsSync(config)) continue;
  const started = performance.now();
  const page = `${packages}${name}/vite.config.ts`;
  if (existsSync(page)) await buildPage({ configFile: page, logLevel: "warn" });
  await build({ cwd: `${packages}${name}`, config, logLevel: "warn", failOnWarn: true });
  console.log(`built packages/${name} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
await buildExecutor(); // from the sources: it is one file for all packages
