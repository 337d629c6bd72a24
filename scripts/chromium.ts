// Finds the browser the tests run in. It is always one the machine already has: nothing here downloads.
import { existsSync } from "node:fs";

const usualPaths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** How the tests start it: without a display, a profile's remains, or a word to the network. */
export const chromiumArguments = [
  "--no-sandbox",
  "--headless",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const help = "install one (`apt-get install chromium`) or set NEARKIN_CHROMIUM to its path";

/**
 * The path of the system's Chromium, or `undefined` after telling why there is none.
 * Under CI=true, and for a NEARKIN_CHROMIUM that does not exist, it throws instead: a suite must not vanish unnoticed.
 */
export function findChromium(
  env: NodeJS.ProcessEnv,
  {
    paths = usualPaths,
    onMissing = console.warn,
  }: { paths?: readonly string[]; onMissing?: (reason: string) => void } = {},
): string | undefined {
  const named = env.NEARKIN_CHROMIUM;
  if (named && !existsSync(named)) throw new Error(`NEARKIN_CHROMIUM is ${named}, but there is no such file`);
  const found = named || paths.find((path) => existsSync(path));
  if (found) return found;
  if (env.CI === "true") throw new Error(`no Chromium found, and CI=true demands the browser tests: ${help}`);
  onMissing(`no Chromium found; ${help}`);
  return undefined;
}
