import { defineConfig } from "tsdown";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    encoders: "src/encoders/index.ts",
    "minilm-thread": "src/encoders/minilm-thread.ts", // started by its URL, from beside the others
  },
  format: "esm",
  platform: "node",
  target: "node20.19",
  fixedExtension: false, // index.js, not index.mjs
  dts: { sourcemap: false },
  sourcemap: false,
  checks: { pluginTimings: false }, // a busy machine is no mistake
});
