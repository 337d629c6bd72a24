import { defineConfig } from "tsdown";

// The page itself is built by vite; this is the module that says where it lies.
export default defineConfig({
  entry: { page: "src/page.ts" },
  format: "esm",
  platform: "node",
  target: "es2022",
  fixedExtension: false, // page.js, not page.mjs
  clean: false, // vite's files lie in the same folder
  dts: { sourcemap: false },
  sourcemap: false,
  checks: { pluginTimings: false }, // a busy machine is no mistake
});
