// @ts-check
// Builds the page into packages/web/dist, where it is missing or older than what it is made of:  node scripts/build-page.mjs
// (npm run build builds it in any case, with everything else.)
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));
const config = join(packages, "web", "vite.config.ts");
const built = join(packages, "web", "dist", "index.html");
const sources = ["web/src", "web/index.html", "web/package.json", "web/vite.config.ts", "core/src", "client/src"];

if (existsSync(config) && !(existsSync(built) && statSync(built).mtimeMs >= newest(sources))) {
  const { build } = await import("vite");
  const started = performance.now();
  await build({ configFile: config, logLevel: "warn" });
  console.error(`built the page in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/**
 * When the last of these files was changed, in milliseconds since 1970; tests do not count.
 * @param {string[]} paths below packages/
 * @returns {number}
 */
function newest(paths) {
  const files = paths.flatMap((path) => {
    const whole = join(packages, path);
    if (!existsSync(whole)) return [];
    if (statSync(whole).isFile()) return [whole];
    return readdirSync(whole, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.\w+$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name));
  });
  return Math.max(...files.map((file) => statSync(file).mtimeMs));
}
