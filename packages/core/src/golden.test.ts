// Golden files are current, and none lies unused.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = join(root, "reference/golden");
const files = readdirSync(folder).filter((file) => file.endsWith(".json"));

test("there are golden files", () => {
  expect(files).toContain("linalg.json");
});

test.each(files)("%s was written by the generator as it is now", (file) => {
  const { generator, generatorSha256 } = JSON.parse(readFileSync(join(folder, file), "utf8"));
  const now = createHash("sha256")
    .update(readFileSync(join(root, generator)))
    .digest("hex");
  expect(generatorSha256, `run python3 ${generator}`).toBe(now);
});

test.each(files)("a test imports %s", (file) => {
  const tests = readdirSync(join(root, "packages"), { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".test.ts") && !path.includes("node_modules"),
  );
  const imports = (path: string) => readFileSync(join(root, "packages", path), "utf8").includes(`golden/${file}"`);
  const users = tests.filter(imports);
  expect(users).not.toEqual([]);
});
