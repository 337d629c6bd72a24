// Builds the page into dist/: index.html, sw.js, and hashed files under assets/. Nothing in it is inline, since its policy allows no inline script.
//   npx vite                      develops against the server at NEARKIN_URL (http://localhost:7410)
//   npx vite build && npx vite preview    the built page, under the headers that the server sends
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defaultClientConditions, defineConfig, type Plugin, type ProxyOptions } from "vite";

const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self'; img-src 'self' data:; " +
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/** The API's own paths; all others are the page's. */
const api: Record<string, ProxyOptions> = Object.fromEntries(
  ["/v1", "/docs", "/openapi.json", "/healthz", "/readyz", "/reports"].map((path) => [
    path,
    {
      target: process.env.NEARKIN_URL ?? "http://localhost:7410",
      changeOrigin: true,
      // the server refuses pages of other origins, and to it this one is another
      configure: (proxy) => proxy.on("proxyReq", (request) => request.removeHeader("origin")),
    },
  ]),
);

/** The chosen theme must stand before the first paint: a classic script in the head, which a bundler would make a deferred module of. */
function themeFirst(): Plugin {
  const source = readFileSync(new URL("src/app/theme-first.js", import.meta.url), "utf8");
  const hash = createHash("sha256").update(source).digest("base64url").slice(0, 8);
  let building = false;
  return {
    name: "theme-first",
    configResolved: ({ command }) => {
      building = command === "build";
    },
    buildStart() {
      if (building) this.emitFile({ type: "asset", fileName: `assets/theme-first-${hash}.js`, source });
    },
    transformIndexHtml: () => [
      {
        tag: "script",
        attrs: { src: building ? `/assets/theme-first-${hash}.js` : "/src/app/theme-first.js" },
        injectTo: "head-prepend",
      },
    ],
  };
}

const SERVICE_WORKER = "service-worker"; // its source's name

/** The service worker keeps the files of one build: their names, and a version that is another for every build, are written into it. */
function namesForServiceWorker(): Plugin {
  return {
    name: "names-for-service-worker",
    apply: "build",
    enforce: "post",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const worker = bundle["sw.js"];
        if (worker?.type !== "asset") this.error("sw.js was not built");
        const files = Object.keys(bundle)
          .filter((name) => name.startsWith("assets/"))
          .sort();
        const page = bundle["index.html"];
        if (page?.type !== "asset") this.error("index.html was not built");
        const version = createHash("sha256")
          .update(JSON.stringify(files)) // they carry hashes of their own
          .update(page.source)
          .update(worker.source)
          .digest("base64url")
          .slice(0, 12);
        const build = { version, files: files.map((name) => `/${name}`) };
        worker.source = String(worker.source).replace("__BUILD__", () => JSON.stringify(build));
      },
    },
  };
}

/** A build is what users get, whoever builds: the NODE_ENV of a test would leave out what only they need, such as the service worker. */
const forUsers = (): Plugin => ({
  name: "for-users",
  config: (_, { command }) => {
    if (command === "build") process.env.NODE_ENV = "production";
  },
});

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [forUsers(), themeFirst(), namesForServiceWorker()],
  // core and client as TypeScript, so that this builds without their dist/
  resolve: { conditions: ["@nearkin/source", ...defaultClientConditions] },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: {
    format: "es",
    rollupOptions: {
      output: {
        // at the root: a service worker answers for what lies below its own path
        entryFileNames: ({ name }) => (name === SERVICE_WORKER ? "sw.js" : "assets/[name]-[hash].js"),
      },
    },
  },
  build: {
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"], // which know light-dark()
    assetsInlineLimit: 0, // no data: URLs
    modulePreload: { polyfill: false },
  },
  server: { proxy: api },
  preview: { proxy: api, headers },
});
