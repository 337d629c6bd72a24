import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { dependencyProblems, listProblems } from "./release/check.ts";
import { nextVersion, releaseChangelog } from "./release/version.ts";
import { readPackages } from "./release/workspace.ts";
import { release } from "./release.ts";

const repository = join(import.meta.dirname, "..");
let root: string | undefined;

afterEach(() => {
  if (root) rmSync(root, { recursive: true });
  root = undefined;
});

const CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Pans.\n\n## [0.1.0] - 2030-01-01\n\n- Pots.\n";

/** A committed repository of two packages, of which `kitchen` depends on `@nearkin/pots`. Its build writes dist/. */
function repositoryOf(change: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "nearkin-release-test-"));
  root = folder;
  const manifest = (name: string, more: object) =>
    `${JSON.stringify({ name, version: "0.1.0", license: "Apache-2.0", type: "module", files: ["dist"], ...more }, null, 2)}\n`;
  const exports = { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } };
  const files: Record<string, string> = {
    "package.json": manifest("workspace", { private: true, workspaces: ["packages/*"] }),
    "package-lock.json": `${JSON.stringify({ version: "0.1.0", packages: { "": { version: "0.1.0" }, "packages/a-kitchen": { version: "0.1.0", dependencies: { "@nearkin/pots": "0.1.0" } }, "packages/pots": { version: "0.1.0" } } }, null, 2)}\n`,
    "tsconfig.base.json": "{}\n",
    ".gitignore": ".cache/\n",
    LICENSE: "free\n",
    "CHANGELOG.md": CHANGELOG,
    "scripts/build.mjs": `import { mkdirSync, writeFileSync } from "node:fs";
      for (const name of ["a-kitchen", "pots"]) {
        mkdirSync("packages/" + name + "/dist");
        writeFileSync("packages/" + name + "/dist/index.js", "export const a = 1;\\n");
        writeFileSync("packages/" + name + "/dist/index.d.ts", "export declare const a: number;\\n");
      }`,
    "packages/a-kitchen/package.json": manifest("kitchen", { exports, dependencies: { "@nearkin/pots": "0.1.0" } }),
    "packages/pots/package.json": manifest("@nearkin/pots", { exports, publishConfig: { access: "public" } }),
    ...Object.fromEntries(
      ["a-kitchen", "pots"].flatMap((name) => [
        [`packages/${name}/LICENSE`, "free\n"],
        [`packages/${name}/README.md`, `# ${name}\n`],
      ]),
    ),
    ...change,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, stdio: "ignore" });
  git("init");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-m", "all");
  return folder;
}

async function releaseOf(folder: string, wanted: string, dryRun = false): Promise<string> {
  const lines: string[] = [];
  await release({ root: folder, wanted, dryRun, out: undefined, date: "2031-12-24", say: (line) => lines.push(line) });
  return lines.join("\n");
}

const statusOf = (folder: string) => execFileSync("git", ["status", "--porcelain"], { cwd: folder, encoding: "utf8" });

describe("release", () => {
  test("versions, packs and tells how to publish, dependencies first", async () => {
    const folder = repositoryOf();
    const said = await releaseOf(folder, "minor");
    const read = (path: string) => readFileSync(join(folder, path), "utf8");
    expect(JSON.parse(read("packages/a-kitchen/package.json"))).toMatchObject({
      version: "0.2.0",
      dependencies: { "@nearkin/pots": "0.2.0" },
    });
    expect(JSON.parse(read("package-lock.json")).packages["packages/a-kitchen"].dependencies).toEqual({
      "@nearkin/pots": "0.2.0",
    });
    expect(read("CHANGELOG.md")).toContain(
      "## [Unreleased]\n\n## [0.2.0] - 2031-12-24\n\n### Added\n\n- Pans.\n\n## [0.1.0]",
    );
    expect(readdirSync(join(folder, ".cache/release/0.2.0"))).toEqual(["kitchen-0.2.0.tgz", "nearkin-pots-0.2.0.tgz"]);
    expect(said.match(/npm publish \S+/g)).toEqual([
      "npm publish .cache/release/0.2.0/nearkin-pots-0.2.0.tgz",
      "npm publish .cache/release/0.2.0/kitchen-0.2.0.tgz",
    ]);
    expect(
      execFileSync("git", ["log", "--oneline"], { cwd: folder, encoding: "utf8" }).trim().split("\n"),
    ).toHaveLength(1);
  });

  test("with --dry-run changes nothing, and says what it would do", async () => {
    const folder = repositoryOf();
    const said = await releaseOf(folder, "patch", true);
    expect(said).toContain("would change: package.json, packages/pots/package.json, packages/a-kitchen/package.json");
    expect(said).toContain("nothing was changed");
    expect(statusOf(folder)).toBe("");
    expect(existsSync(join(folder, ".cache"))).toBe(false);
  });

  test("refuses a tree with changes", async () => {
    const folder = repositoryOf();
    writeFileSync(join(folder, "stray.txt"), "");
    await expect(releaseOf(folder, "patch")).rejects.toThrow("not committed:\n  ?? stray.txt");
  });

  test("names everything that is wrong with the packages, and changes nothing", async () => {
    const folder = repositoryOf({
      "scripts/build.mjs": `import { mkdirSync, writeFileSync } from "node:fs";
        for (const name of ["a-kitchen", "pots"]) mkdirSync("packages/" + name + "/dist/test", { recursive: true });
        writeFileSync("packages/pots/dist/index.js", "export const a = " + JSON.stringify(process.cwd()) + ";\\n");
        writeFileSync("packages/pots/dist/test/index.js", "");`,
      "packages/pots/LICENSE": "yours\n",
    });
    const failed = await releaseOf(folder, "patch").catch((error: Error) => error.message);
    expect(failed).toMatch(/@nearkin\/pots: dist\/index\.d\.ts is missing/);
    expect(failed).toMatch(/@nearkin\/pots: dist\/test\/index\.js should not be in the package/);
    expect(failed).toMatch(/@nearkin\/pots: LICENSE is not that of the repository/);
    expect(failed).toMatch(/@nearkin\/pots: dist\/index\.js names \//);
    expect(failed).toMatch(/kitchen: dist\/index\.js is missing/);
    expect(statusOf(folder)).toBe("");
  });
});

test("versions go up", () => {
  expect(["major", "minor", "patch", "1.4.7"].map((wanted) => nextVersion("1.4.6", wanted))).toEqual([
    "2.0.0",
    "1.5.0",
    "1.4.7",
    "1.4.7",
  ]);
  expect(() => nextVersion("1.4.6", "1.4.6")).toThrow("is not above");
  expect(() => nextVersion("1.4.6", "1.3.9")).toThrow("is not above");
  expect(() => nextVersion("1.4.6", "big")).toThrow('got "big"');
});

test("a changelog without news, or with the version, is refused", () => {
  expect(() => releaseChangelog(CHANGELOG.replace("- Pans.", ""), "0.2.0", "d")).toThrow("nothing stands under");
  expect(() => releaseChangelog(CHANGELOG, "0.1.0", "d")).toThrow("an entry for 0.1.0 already");
  expect(() => releaseChangelog("# Changelog\n", "0.2.0", "d")).toThrow("no heading");
  expect(releaseChangelog("## [Unreleased]\n\n- First.\n", "0.1.0", "d").text).toBe(
    "## [Unreleased]\n\n## [0.1.0] - d\n\n- First.\n",
  );
});

test("a file that exports or bin name must be there; the condition of clones does not count", () => {
  const manifest = {
    name: "pans",
    version: "1.0.0",
    bin: { pans: "bin/pans.js" },
    exports: {
      ".": { "@nearkin/source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" },
      "./lid": { default: "./dist/lid.js" },
    },
  };
  const files = ["LICENSE", "README.md", "package.json", "dist/index.js", "dist/index.d.ts", "dist/lid.js", "src/a.ts"];
  expect(listProblems({ name: "pans", files }, manifest)).toEqual([
    "bin/pans.js is missing",
    "dist/lid.d.ts is missing",
    "src/a.ts should not be in the package",
  ]);
});

test("packages ask for each other at the version of the release", () => {
  const manifest = {
    name: "@nearkin/pans",
    version: "1.0.0",
    dependencies: { "@nearkin/pots": "0.9.0", "@nearkin/gone": "1.0.0", zod: "^4" },
    peerDependencies: { stove: "file:../stove" },
  };
  expect(dependencyProblems(manifest, { version: "1.0.0", names: ["@nearkin/pans", "@nearkin/pots"] })).toEqual([
    "publishConfig.access is not public: npm would refuse a scoped package",
    "@nearkin/pots is asked for as 0.9.0, not 1.0.0",
    "@nearkin/gone is asked for, but not published",
    "stove is asked for as file:../stove, which users do not have",
  ]);
});

test("this repository's packages have one version, and each comes after those it needs", () => {
  const packages = readPackages(repository).map(({ manifest }) => manifest);
  const names = packages.map(({ name }) => name);
  expect(names.indexOf("@nearkin/core")).toBeLessThan(names.indexOf("@nearkin/data"));
  expect(names.at(-1)).toBe("nearkin");
  for (const each of packages) expect(dependencyProblems(each, { version: packages[0].version, names })).toEqual([]);
});
