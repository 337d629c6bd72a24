// A model opened in a worker of this page, from files wherever they come from.
import { type ModelWorker, openInWorker } from "./worker-calls.ts";

/** Bytes of a model that a page downloads without asking. */
export const SMALL = 32 * 2 ** 20;

/** The files are handed over: the page has them no longer. */
export async function openHere(files: ReadonlyMap<string, ArrayBuffer>): Promise<ModelWorker> {
  if (!globalThis.Worker) throw new Error("this browser has no workers");
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "nearkin" });
  return openInWorker(worker, files);
}
