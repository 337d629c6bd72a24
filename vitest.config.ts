// One project per package, one for the repository's own scripts, one that packs and installs everything, one that runs the built core in Node,
// bundles and pages, one in a browser, one that looks at the page of a demo, and one on a Spark cluster.
//   npm test                          everything that this machine has
//   NEARKIN_TESTS=unit npx vitest run the unit tests alone, as in npm run check (no *.integration.test.ts)
//   npx vitest --project core         one package, watching
import { availableParallelism } from "node:os";
import { playwright } from "@vitest/browser-playwright";
import { defaultClientConditions, defaultServerConditions } from "vite";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { chromiumArguments, findChromium } from "./scripts/chromium.ts";
import { timeouts } from "./test/support/patience.ts";
import Reporter from "./test/support/reporter.ts";

const isUnit = process.env.NEARKIN_TESTS === "unit";

// Packages meet as TypeScript, so tests need no build.
const inNode = {
  ssr: { resolve: { conditions: ["@nearkin/source", ...defaultServerConditions] } },
};

const inBrowser = {
  resolve: { conditions: ["@nearkin/source", ...defaultClientConditions] },
};

const nodeSetup = { setupFiles: ["test/support/quiet.ts", "test/support/one-core.ts"] };

/** Files that run in the same worker share its modules: loading them anew for each file took half of the time of a run. */
const sharedModules = { isolate: false, restoreMocks: true, unstubEnvs: true, unstubGlobals: true };

function nodeProject(name: string): TestProjectInlineConfiguration {
  return {
    ...inNode,
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } }, // only the page has JSX
    test: {
      name,
      include: [`packages/${name}/src/**/*.test.{ts,tsx}`],
      exclude: ["**/*.browser.test.ts", ...(isUnit ? ["**/*.integration.test.ts"] : [])],
      ...sharedModules,
      ...nodeSetup,
      ...timeouts,
    },
  };
}

/** Tests in `*.browser.test.ts` run only here; `*.suite.test.ts` run here and in Node. The page is cross-origin isolated. */
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
      include: ["packages/core/src/**/*.browser.test.ts", "packages/core/src/**/*.suite{,.integration}.test.ts"],
      ...timeouts,
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

/** A project of tests of the whole, in test/. */
function wholeProject(
  name: string,
  include: string,
  options: Partial<TestProjectInlineConfiguration["test"]> = {},
): TestProjectInlineConfiguration {
  return { ...inNode, test: { name, include: [include], ...nodeSetup, ...timeouts, ...options } };
}

const skipped: string[] = [];
const chromium = isUnit
  ? undefined
  : findChromium(process.env, {
      onMissing: (reason) => skipped.push(`SKIPPED: all tests in a browser, the projects browser and page: ${reason}`),
    });

const packageProjects = [
  ...["core", "native", "data", "train", "evaluate", "client", "serve", "web", "cli"].map(nodeProject),
];

/** Options of projects whose files start programs that take several cores: they run behind all others, one file for each core. */
const late = { sequence: { groupOrder: 1 }, maxWorkers: availableParallelism() };

const otherProjects = [
  wholeProject("scripts", "scripts/**/*.test.ts"),
  wholeProject("pack", "test/pack.test.ts"),
  wholeProject("portability", "test/portability.test.ts"),
  ...(chromium
    ? [
        browserProject(chromium),
        wholeProject("page", "test/page/*.test.ts", { ...late, globalSetup: "test/page/demo.ts" }),
      ]
    : []),
  wholeProject("spark", "test/spark/*.test.ts", { ...late, globalSetup: "test/spark/cluster.ts" }),
];

export default defineConfig({
  test: {
    projects: isUnit ? packageProjects : [...packageProjects, ...otherProjects],
    globalSetup: "test/support/shared.ts",
    // One more than there are cores: tests of servers and stores wait for disks, timers and each other half of the time.
    maxWorkers: process.env.NEARKIN_TEST_WORKERS ?? availableParallelism() + 1,
    reporters: [new Reporter(skipped)],
    experimental: { fsModuleCache: true },
  },
});
