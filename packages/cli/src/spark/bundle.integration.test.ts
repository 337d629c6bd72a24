// What executors run, as it is sent to them: alone in a folder, on lines of users.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeTinyModel } from "../testing/model-folder.ts";
import { run } from "../testing/run.ts";
import { BUNDLE, executorBundle } from "./bundle.ts";

let root: string;
const at = (name: string) => join(root, name);
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-bundle-"));
  copyFileSync(await executorBundle(), at(BUNDLE));
  await writeTinyModel(at("model"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function filter(args: readonly string[], input: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BUNDLE, ...args], {
    cwd: root,
    input,
    encoding: "utf8",
    env: {},
  });
  return { status, stdout, stderr: stderr.replaceAll(root, "…") };
}

const items = ["f000", "f003", "f007", "f011"].map((item, i) => ({ item, rating: 1 + i }));
const lines = [
  JSON.stringify({ user: "ada\t\n", ratings: items }),
  "{not json",
  JSON.stringify({ user: "bob", ratings: [{ item: "of tomorrow" }, ...items] }),
  "",
];

test("answers as the command line does, byte for byte", async () => {
  writeFileSync(at("users.jsonl"), lines.join("\n"));
  for (const flags of [[], ["--skip-unknown"]]) {
    const { out } = await run("personalize", at("model"), "--engine", "wasm", "--in", at("users.jsonl"), ...flags);
    expect(filter(["model", ...flags], lines.join("\n"))).toEqual({ status: 0, stdout: out, stderr: "" });
    const bob = JSON.parse(out.trimEnd().split("\n")[2]);
    if (flags.length === 0) expect(bob.error.code).toBe("UNKNOWN_ITEM");
    else expect(bob).toMatchObject({ user: "bob", items: 4 });
  }
});

test("a model that cannot be opened ends it, so that Spark tries elsewhere", () => {
  expect(filter(["nowhere"], lines.join("\n"))).toEqual({
    status: 1,
    stdout: "",
    stderr: "BAD_MODEL: nowhere does not exist; expected a folder that nearkin train wrote\n",
  });
});

test("is small enough to be sent with every job", () => {
  expect(statSync(at(BUNDLE)).size).toBeLessThan(500_000);
});
