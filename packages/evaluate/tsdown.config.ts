import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["src/index.ts"],
  format: "esm",
  platform: "node",
  target: "node20.19",
  fixedExtension: false, // index.js, not index.mjs
  dts: { sourcemap: false },
  sourcemap: false,
  checks: { pluginTimings: false }, // a busy machine is no mistake
});
