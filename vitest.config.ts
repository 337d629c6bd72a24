// One project per package, one for the repository's own scripts, one that packs and installs everything, one
// that runs the built core in Node, bundles and pages, one in a browser, and one that looks at the page of a demo.
//   npm test                          everything
//   npx vitest --project core         one package, watching
import { playwright } from "@vitest/browser-playwright";
import { defaultClientConditions, defaultServerConditions } from "vite";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { chromiumArguments, findChromium } from "./scripts/chromium.ts";

// Packages meet as TypeScript, so tests need no build.
const inNode = {
  ssr: { resolve: { conditions: ["@nearkin/source", ...defaultServerConditions] } },
};

const inBrowser = {
  resolve: { conditions: ["@nearkin/source", ...defaultClientConditions] },
};

function nodeProject(name: string): TestProjectInlineConfiguration {
  return {
    ...inNode,
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } }, // of the page, the only one that has any
    test: {
      name,
      include: [`packages/${name}/src/**/*.test.{ts,tsx}`],
      exclude: ["**/*.browser.test.ts"],
      testTimeout: 60_000, // a busy machine is not a failure
      hookTimeout: 60_000,
    },
  };
}

/** `*.browser.test.ts` run only here; `*.suite.test.ts` run here and in Node. The page is cross-origin isolated. */
function browserProject(executablePath: string): TestProjectInlineConfiguration {
  return {
    ...inBrowser,
    optimizeDeps: { include: ["fast-check"] }, // found late, it would make vite reload the page in mid-test
    server: {
      headers: {
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Embedder-Policy": "require-corp",
      },
    },
    test: {
      name: "browser",
      include: ["packages/core/src/**/*.{browser,suite}.test.ts"],
      testTimeout: 60_000,
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider: playwright({
          launchOptions: {
            executablePath,
            args: chromiumArguments,
          },
        }),
        instances: [{ browser: "chromium" }],
      },
    },
  };
}

/** The page on a demo that is made for all files of the project; after all others, since it measures how long things take. */
const pageProject: TestProjectInlineConfiguration = {
  ...inNode,
  test: {
    name: "page",
    include: ["test/page/*.test.ts"],
    globalSetup: "test/page/demo.ts",
    fileParallelism: false,
    expect: { poll: { timeout: 10_000 } }, // a page may be slow where others are at work
    sequence: { groupOrder: 1 },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
};

/** On a Spark cluster that is started for all files of the project; last, since it takes all cores. */
const sparkProject: TestProjectInlineConfiguration = {
  ...inNode,
  test: {
    name: "spark",
    include: ["test/spark/*.test.ts"],
    globalSetup: "test/spark/cluster.ts",
    fileParallelism: false,
    sequence: { groupOrder: 2 },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
};

const chromium = findChromium(process.env);

export default defineConfig({
  test: {
    projects: [
      nodeProject("core"),
      nodeProject("native"),
      nodeProject("data"),
      nodeProject("train"),
      nodeProject("evaluate"),
      nodeProject("client"),
      nodeProject("serve"),
      nodeProject("web"),
      nodeProject("cli"),
      { ...inNode, test: { name: "scripts", include: ["scripts/**/*.test.ts"], testTimeout: 60_000 } },
      { ...inNode, test: { name: "pack", include: ["test/pack.test.ts"], testTimeout: 240_000, hookTimeout: 240_000 } },
      {
        ...inNode,
        test: { name: "portability", include: ["test/portability.test.ts"], testTimeout: 30_000, hookTimeout: 60_000 },
      },
      sparkProject,
      ...(chromium ? [browserProject(chromium), pageProject] : []),
    ],
  },
});
