// What independent Python computed (reference/), on every engine.
import linalg from "../../../../reference/golden/linalg.json";
import { describeGolden } from "../testing/index.ts";
import { createEngine } from "./create.ts";

describeGolden("plain", () => createEngine({ engine: "plain" }), linalg);
describeGolden("wasm", () => createEngine({ engine: "wasm", workers: 2 }), linalg);
describeGolden("wasm-relaxed", () => createEngine({ engine: "wasm-relaxed", workers: 1 }), linalg);
