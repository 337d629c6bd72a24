// @ts-check
// Bundles what Spark's executors run into packages/cli/dist, where it is missing or older than what it is made of:  node scripts/build-executor.mjs
// One file, which needs Node and nothing else. (npm run build makes it in any case, with everything else.)
import { existsSync, readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));
const sources = ["cli/src", "core/src", "serve/src/models"];

const executor = join(packages, "cli", "dist", "nearkin-personalize.mjs");

export async function buildExecutor() {
  const { build } = await import("esbuild");
  const temporary = `${executor}.${process.pid}.tmp`;
  await build({
    entryPoints: [join(packages, "cli", "src", "spark", "executor.ts")],
    outfile: temporary,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18", // an older Node gets as far as saying that it is too old
    conditions: ["@nearkin/source"],
    minify: true,
    legalComments: "none",
    logLevel: "warning",
  });
  renameSync(temporary, executor);
}

/** @returns {boolean} whether the bundle is there, and no source is newer */
function isCurrent() {
  if (!existsSync(executor)) return false;
  const built = statSync(executor).mtimeMs;
  return sources.every((folder) =>
    readdirSync(join(packages, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.\w+$/.test(entry.name))
      .every((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs <= built),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !isCurrent()) await buildExecutor();
