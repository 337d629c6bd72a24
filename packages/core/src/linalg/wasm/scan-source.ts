// A scan thread, as text (see worker-source.ts).
import * as layout from "./scan-layout.ts";

/**
 * Sleeps until there is a batch, takes chunks of rows while there are any, sorts what it found, and goes on to the next batch. Whoever
 * finishes the last chunk of one says so. A thread that comes late finds nothing left, or chunks of a later batch in the same slot: taking
 * one comes before reading what it is about, and the host writes that before it hands out chunks.
 */
export const scanSource = `"use strict";
const node = typeof process === "object" && process.versions && process.versions.node;
const port = node ? process.getBuiltinModule("node:worker_threads").parentPort : self;
function start({ module, memory, slots, round }) {
  const { scan_batch, scan_batch_end } = new WebAssembly.Instance(module, { env: { memory } }).exports;
  const views = slots.map(({ control, job }) => ({
    job,
    words: new Int32Array(memory.buffer, control, ${layout.CONTROL_BYTES / 4}),
    text: new Uint16Array(memory.buffer, control + ${layout.ERROR_TEXT * 4}, ${layout.ERROR_CHARACTERS}),
    fields: new Float64Array(memory.buffer, job, ${layout.JOB_BYTES / 8}),
  }));
  const shared = views[0].words;
  port.postMessage("ready");
  for (;;) {
    Atomics.wait(shared, ${layout.ROUND}, round);
    while (Atomics.load(shared, ${layout.ROUND}) !== round) {
      visit(round & (slots.length - 1));
      round = (round + 1) | 0;
    }
  }
  function visit(slot) {
    const { job, words, text, fields } = views[slot];
    let taken = 0;
    try {
      for (let left; (left = Atomics.sub(words, ${layout.LEFT}, 1)) > 0; ) {
        taken++;
        const from = (words[${layout.CHUNKS}] - left) * words[${layout.CHUNK_ROWS}];
        fields[0] = from;
        fields[1] = Math.min(from + words[${layout.CHUNK_ROWS}], words[${layout.COUNT}]);
        scan_batch(job);
      }
      if (taken > 0) scan_batch_end(job);
    } catch (error) {
      taken += Math.max(0, Atomics.exchange(words, ${layout.LEFT}, 0)); // the batch has failed: what is left need not be read
      const message = String((error && error.message) || error).slice(0, ${layout.ERROR_CHARACTERS});
      for (let i = 0; i < message.length; i++) text[i] = message.charCodeAt(i);
      Atomics.store(words, ${layout.ERROR_LENGTH}, message.length);
    }
    if (taken > 0 && Atomics.add(words, ${layout.DONE}, taken) + taken === words[${layout.CHUNKS}]) port.postMessage(slot);
  }
}
if (node) port.once("message", start);
else self.onmessage = (event) => start(event.data);
`;
