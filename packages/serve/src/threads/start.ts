// Starts a thread on a module of this package. Installed, that is a built file; in a clone it is TypeScript, which a thread of Node does not
// load by itself: there tsx, a tool of the repository, is registered first.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

const inClone = import.meta.url.endsWith(".ts");

const BOOT = `
const { workerData } = require("node:worker_threads");
import(workerData.tsx)
  .then(({ register }) => { register(); return import(workerData.entry); })
  .catch((error) => { setImmediate(() => { throw error; }); });
`;

/** @param name of the module: `src/<name>.ts` in a clone, `<name with "-" for "/">.js` beside the built server. */
export function startThread(name: string, options: Omit<WorkerOptions, "eval" | "execArgv"> = {}): Worker {
  if (!inClone) return new Worker(new URL(`./${name.replaceAll("/", "-")}.js`, import.meta.url), options);
  const tsx = new URL(
    "dist/esm/api/index.mjs",
    pathToFileURL(createRequire(import.meta.url).resolve("tsx/package.json")),
  ).href;
  const entry = new URL(`../${name}.ts`, import.meta.url).href;
  const workerData = { ...(options.workerData as object | undefined), tsx, entry };
  return new Worker(BOOT, { ...options, workerData, eval: true, execArgv: ["--conditions=@nearkin/source"] });
}
