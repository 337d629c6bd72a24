import { defineConfig } from "tsdown";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    folder: "src/models/model-folder.ts",
    store: "src/store/index.ts",
    "users-worker": "src/users/worker.ts", // threads/start.ts
  },
  format: "esm",
  platform: "node",
  target: "node20.19",
  fixedExtension: false, // index.js, not index.mjs
  dts: { sourcemap: false },
  sourcemap: false,
  checks: { pluginTimings: false }, // a busy machine is no mistake
});
