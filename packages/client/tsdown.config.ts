import { defineConfig } from "tsdown";

export default defineConfig({
  entry: { index: "src/index.ts", contract: "src/contract/index.ts" },
  format: "esm",
  platform: "neutral",
  target: "es2022",
  fixedExtension: false, // index.js, not index.mjs
  dts: { sourcemap: false },
  sourcemap: false,
  checks: { pluginTimings: false }, // a busy machine is no mistake
});
