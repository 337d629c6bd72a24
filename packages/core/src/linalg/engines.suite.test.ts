// The contract on every engine of core that has one thread, in Node and in the browser. The plain engine is the oracle: its own run checks the suite.
import { describeEngine } from "../testing/index.ts";
import { createEngine } from "./create.ts";

describeEngine("plain", () => createEngine({ engine: "plain" }), { runs: 5 });
describeEngine("wasm, 1 worker", () => createEngine({ engine: "wasm", workers: 1 }));
