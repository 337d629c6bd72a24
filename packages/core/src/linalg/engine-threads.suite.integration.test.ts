// The contract on every engine of core that has threads, in Node and in the browser.
import { describeEngine } from "../testing/index.ts";
import { createEngine } from "./create.ts";

describeEngine("wasm, 2 workers", () => createEngine({ engine: "wasm", workers: 2 }));
describeEngine("wasm-relaxed, 2 workers", () => createEngine({ engine: "wasm-relaxed", workers: 2 }));
