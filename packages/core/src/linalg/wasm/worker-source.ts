// A worker, as text: Node runs it with `eval`, browsers from a Blob, and no bundler has to find a file.
import * as layout from "./layout.ts";

/**
 * Waits for rounds, runs the kernel its slot names, reports. It spins a little before it sleeps: within one factorisation
 * rounds follow each other in microseconds, and waking a thread costs fifty of them.
 */
export const workerSource = `"use strict";
const node = typeof process === "object" && process.versions && process.versions.node;
const port = node ? process.getBuiltinModule("node:worker_threads").parentPort : self;
function start({ module, memory, id, names }) {
  const i32 = new Int32Array(memory.buffer, 0, ${layout.CONTROL_BYTES / 4});
  const text = new Uint16Array(memory.buffer, 0, ${layout.CONTROL_BYTES / 2});
  const exports = new WebAssembly.Instance(module, { env: { memory } }).exports;
  const kernels = names.map((name) => exports[name]);
  const slot = ${layout.SLOTS} + id * ${layout.SLOT_BYTES};
  let round = Atomics.load(i32, ${layout.ROUND / 4});
  port.postMessage("ready");
  for (;;) {
    let spins = 0;
    while (Atomics.load(i32, ${layout.ROUND / 4}) === round && spins < 20000) spins++;
    while (Atomics.load(i32, ${layout.ROUND / 4}) === round) Atomics.wait(i32, ${layout.ROUND / 4}, round);
    round = Atomics.load(i32, ${layout.ROUND / 4});
    const kernel = i32[(slot + ${layout.KERNEL}) >> 2];
    if (kernel === ${layout.END}) break;
    if (kernel >= 0) {
      try {
        i32[(slot + ${layout.RESULT}) >> 2] = kernels[kernel](slot) | 0;
      } catch (error) {
        const message = String((error && error.message) || error).slice(0, ${layout.ERROR_CHARACTERS});
        for (let i = 0; i < message.length; i++) text[((slot + ${layout.ERROR_TEXT}) >> 1) + i] = message.charCodeAt(i);
        i32[(slot + ${layout.ERROR_LENGTH}) >> 2] = message.length;
      }
    }
    Atomics.add(i32, ${layout.DONE / 4}, 1);
    Atomics.notify(i32, ${layout.DONE / 4});
  }
}
if (node) port.once("message", start);
else self.onmessage = (event) => start(event.data);
`;
