// Encoding uses no network: connections are forbidden in a process of its own, and then there is no network at all.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { outputOf, startChild } from "./testing/child.ts";

const folder = mkdtempSync(join(tmpdir(), "nearkin-network-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function watched(name: string, arg: string): Promise<{ out: string; log: string[] }> {
  const file = join(folder, name);
  const preload = "no-network.cjs";
  const out = await outputOf(
    startChild("encode-with-minilm.ts", { args: [arg], preload, env: { NEARKIN_NETWORK_LOG: file } }),
  );
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return { out, log: lines.filter((line) => line !== "watched other thread").sort() }; // the compiler's
}

test("an attempt would be seen", async () => {
  const { log } = await watched("control", "fetch");
  expect(log).toEqual(["attempt fetch", "watched main thread"]);
});

test("minilm makes no attempt, in no thread", async () => {
  const { out, log } = await watched("minilm", "9");
  expect(out).toMatch(/^[0-9a-f]{64}$/);
  expect(log).toEqual(["watched main thread", "watched minilm thread", "watched minilm thread"]);
});

const empty = ["unshare", "-rn"];
const permitted = spawnSync(empty[0], [...empty.slice(1), "true"]).status === 0;
if (!permitted) process.stderr.write("SKIPPED: encoding without any network; `unshare -rn` is not permitted here\n");

test.skipIf(!permitted)("minilm works where there is no network", async () => {
  const out = await outputOf(startChild("encode-with-minilm.ts", { args: ["2"], within: empty }));
  expect(out).toMatch(/^[0-9a-f]{64}$/);
});
