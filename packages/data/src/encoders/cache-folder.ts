// Where things that can be computed again are kept.
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** NEARKIN_CACHE, or `nearkin` in the user's cache folder (XDG_CACHE_HOME, else ~/.cache). */
export function cacheFolder(env: Record<string, string | undefined> = process.env): string {
  if (env.NEARKIN_CACHE) return resolve(env.NEARKIN_CACHE);
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "nearkin");
}
