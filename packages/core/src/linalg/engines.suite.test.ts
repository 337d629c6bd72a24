// The contract on every engine of core, in Node and in the browser. The plain engine is the oracle: its own run checks the suite.
import { describeEngine } from "../testing/index.ts";
import { createEngine } from "./create.ts";

describeEngine("plain", () => createEngine({ engine: "plain" }), { runs: 5 });
describeEngine("wasm, 1 worker", () => createEngine({ engine: "wasm", workers: 1 }));
describeEngine("wasm, 2 workers", () => createEngine({ engine: "wasm", workers: 2, timeout: 5000 }));
describeEngine("wasm-relaxed, 2 workers", () => createEngine({ engine: "wasm-relaxed", workers: 2, timeout: 5000 }));
