// A model opened in a worker of this page, from files wherever they come from.
import { type ModelWorker, openInWorker } from "./worker-calls.ts";

/** Bytes of a model that a page downloads without asking. */
export const SMALL = 32 * 2 ** 20;

/** The files are handed over: the page has them no longer. */
export const openHere = (files: ReadonlyMap<string, ArrayBuffer>): Promise<ModelWorker> =>
  openInWorker(new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "nearkin" }), files);
