import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { allowed, findViolations } from "./check-rooms.mjs";

const script = fileURLToPath(new URL("./check-rooms.mjs", import.meta.url));
const repository = fileURLToPath(new URL("..", import.meta.url));

let folder: string | undefined;

afterEach(() => {
  if (folder) rmSync(folder, { recursive: true });
  folder = undefined;
});

/** A repository in a temporary folder. Packages get a package.json unless the files bring one. */
function repositoryOf(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "rooms-"));
  folder = root;
  const rooms = new Set(Object.keys(files).map((path) => path.split("/")[1]));
  const manifests = Object.fromEntries([...rooms].map((room) => [`packages/${room}/package.json`, "{}"]));
  for (const [path, text] of Object.entries({ ...manifests, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** The violations as `file:line imported`. */
function found(files: Record<string, string>): string[] {
  return findViolations(repositoryOf(files)).map(({ file, line, imported }) => `${file}:${line} ${imported}`);
}

describe("check-rooms", () => {
  test("this repository passes", () => {
    expect(findViolations(repository)).toEqual([]);
    expect(execFileSync("node", [script], { encoding: "utf8" })).toBe("rooms: every import points the right way\n");
  });

  test("the table has no circle", () => {
    const order = Object.keys(allowed);
    for (const [room, others] of Object.entries(allowed)) {
      for (const other of others) {
        expect(order.indexOf(other.split("/")[0])).toBeLessThan(order.indexOf(room));
      }
    }
  });

  test("names file, line, import and rule, and fails", () => {
    const root = repositoryOf({
      "packages/core/src/index.ts": '// first line\nimport { train } from "@nearkin/train";\n',
    });
    const { status, stderr } = spawnSync("node", [script, root], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toBe('packages/core/src/index.ts:2: "@nearkin/train": core may import no other package\n');
  });

  test.each([
    ["import", 'import "@nearkin/serve";'],
    ["type import", 'import type { A } from "@nearkin/serve";'],
    ["import over several lines", 'import {\n  a,\n} from "@nearkin/serve";'],
    ["re-export", 'export * from "@nearkin/serve";'],
    ["dynamic import", 'const a = await import("@nearkin/serve");'],
    ["import of an entry point", 'import { a } from "@nearkin/serve/store";'],
  ])("sees a forbidden %s", (_, text) => {
    expect(found({ "packages/train/src/a.ts": text })).toHaveLength(1);
  });

  test("reads tests and plain JavaScript too", () => {
    expect(
      found({
        "packages/data/src/a.test.ts": 'import "@nearkin/train";',
        "packages/data/bin/b.js": 'import "nearkin";',
      }),
    ).toEqual(["packages/data/bin/b.js:1 nearkin", "packages/data/src/a.test.ts:1 @nearkin/train"]);
  });

  test("a relative path may not leave the package", () => {
    expect(
      found({
        "packages/native/src/deep/a.ts": 'import "../b.ts";\nimport "../../../core/src/index.ts";\n',
        "packages/native/src/b.ts": "",
      }),
    ).toEqual(["packages/native/src/deep/a.ts:2 ../../../core/src/index.ts"]);
  });

  test("tests, and only they, may read the golden vectors", () => {
    expect(
      found({
        "packages/core/src/a.test.ts": 'import golden from "../../../reference/golden/a.json";',
        "packages/core/src/a.ts": 'import golden from "../../../reference/golden/a.json";',
      }),
    ).toEqual(["packages/core/src/a.ts:1 ../../../reference/golden/a.json"]);
  });

  test("serve sees the encoders of data and nothing else of it", () => {
    expect(
      found({
        "packages/serve/package.json": '{ "dependencies": { "@nearkin/data": "0.1.0" } }',
        "packages/serve/src/a.ts": 'import "@nearkin/data/encoders";\nimport "@nearkin/data";\n',
      }),
    ).toEqual(["packages/serve/src/a.ts:2 @nearkin/data"]);
  });

  test("core's source may not import Node's modules, its tests may", () => {
    expect(
      found({
        "packages/core/src/a.ts": 'import { readFileSync } from "node:fs";',
        "packages/core/src/a.test.ts": 'import { readFileSync } from "node:fs";',
      }),
    ).toEqual(["packages/core/src/a.ts:1 node:fs"]);
  });

  test("package.json is held to the same table", () => {
    expect(
      found({
        "packages/web/package.json":
          '{\n  "dependencies": {\n    "preact": "1",\n    "@nearkin/serve": "0.1.0"\n  }\n}',
      }),
    ).toEqual(["packages/web/package.json:4 @nearkin/serve"]);
  });

  test("a package without a row in the table is refused", () => {
    expect(found({ "packages/extra/src/a.ts": "" })).toEqual(["packages/extra/package.json:1 extra"]);
  });
});
