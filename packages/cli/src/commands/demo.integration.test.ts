import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@nearkin/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../demo/free-port.ts";
import { run } from "../testing/run.ts";
import { SMALL_TRAINING } from "../testing/small-training.ts";
import { bar } from "../training-bar.ts";

const script = fileURLToPath(new URL("../../../../scripts/build-page.mjs", import.meta.url));
const bin = fileURLToPath(new URL("../../bin/nearkin.js", import.meta.url));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-demo-"));
  writeFileSync(join(folder, "small.yaml"), SMALL_TRAINING);
  execFileSync(process.execPath, [script], { stdio: "ignore" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const idOf = (model: string) => JSON.parse(readFileSync(at(`${model}/model.json`), "utf8")).id as string;

test("the demo learns the true weights roughly, shows films with reasons, and answers over HTTP, with its page", async () => {
  const { code, out, err } = await run("demo", "--check", "--encoder", "lsa", "--workers", "1", "--out", at("real"));
  expect([code, err.replaceAll(/^ {3}.*\n/gm, "")]).toEqual([0, ""]);
  expect(err).toMatch(/\[#{24}\] 100 % {2}/);
  const [, correlation] = out.match(/correlation of learned and true weights: (\S+)/) ?? [];
  expect(Number(correlation)).toBeGreaterThan(0.5);
  const lines = out.split("\n").filter((line) => / distance \d+\.\d{3} {2}/.test(line));
  expect(lines).toHaveLength(12); // three neighbours of three films and of a draft
  for (const line of lines) {
    const shares = [...line.matchAll(/[a-z]+ (\d+) %/g)].map(([, share]) => Number(share));
    expect(shares.length).toBeGreaterThanOrEqual(5);
    expect(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100)).toBeLessThanOrEqual(3); // rounded
  }
  const [, typical] = out.match(/Two random films are about (\S+) apart/) ?? [];
  for (const first of [lines[0], lines[3], lines[6]]) {
    expect(Number(first.match(/ distance (\S+)/)?.[1])).toBeLessThan(Number(typical)); // what is shown is similar
  }
  expect(out).toMatch(/The Godfather Part II +distance/);
  expect(out).toMatch(/expected rating \d\.\d\d ± \d\.\d\d; not known of it: director, country/);
  const measured = [...out.matchAll(/^ {3}(?:co-interaction|affinity).*? +(\d+) % +(\d+) % +(\d+) % {2}\S/gm)];
  expect(measured).toHaveLength(5); // every truth
  for (const [line, model, chance] of measured) expect(Number(model), line).toBeGreaterThanOrEqual(Number(chance));
  const asked = out.slice(out.indexOf("6. Asking")).match(/^ {3}([a-z ]+):/gm);
  expect(asked).toHaveLength(10);
  expect(out).not.toContain("FAILED");
  expect(out).toMatch(/^ {3}page: +index\.html, and \/assets\/\S+\.js, \d+ kB$/m);
  for (const file of [
    "results/marquee.json",
    "results/marquee.html",
    "model/training.json",
    "model-split/model.json",
  ]) {
    expect([file, existsSync(at(`real/${file}`))]).toEqual([file, true]);
  }
});

/** One thread: files run side by side, and threads that wait for each other on a full machine take far longer. */
const SMALL = ["--encoder", "lsa", "--workers", "1"];

describe("with a small model", () => {
  const demo = (...flags: string[]) =>
    run("demo", ...SMALL, "--config", at("small.yaml"), "--out", at("small"), ...flags);
  const reused = "is there, made with the same settings; --fresh makes it anew.";

  test("--no-serve trains and shows films, and a second run takes what is there", async () => {
    const first = await demo("--no-serve");
    expect([first.code, first.out.match(/ distance \d/g)?.length]).toEqual([0, 12]);
    expect(first.out).toMatch(
      /Done in .*\. Ask it more:\n {2}npx nearkin similar \S+small\/model the-matrix-1999 --explain\n/,
    );
    expect([existsSync(at("small/users.db")), existsSync(at("small/results"))]).toEqual([false, false]);
    const id = idOf("small/model");
    const second = await demo("--no-serve");
    expect([second.code, second.out.startsWith(`${at("small")} ${reused}`), idOf("small/model")]).toEqual([
      0,
      true,
      id,
    ]);
    const other = await demo("--no-serve", "--seed", "2");
    expect([other.out.includes(reused), idOf("small/model") === id]).toEqual([false, false]);
  });

  test("listens until Ctrl-C, and the next time takes what is there, with what users did", async () => {
    const first = await start();
    const client = createClient({ url: first.url });
    expect((await client.models.list()).models.map(({ folder: name, active }) => [name, active])).toEqual([
      ["model", true],
      ["model-split", false],
    ]);
    await client.events.add([{ user: "me", item: "alien-1979", rating: 5 }]);
    expect(await first.end()).toBe(0);
    expect(first.said()).not.toContain(reused); // the run before had no results, and no model of all data
    expect(first.said()).toContain(`\n  ${first.url}/\n\nTry there:\n  ${first.url}/items/alien-1979  `);

    const again = await start("--no-page");
    expect((await createClient({ url: again.url }).users.get("me")).events).toBe(1);
    expect((await fetch(`${again.url}/you`)).status).toBe(404);
    expect(await again.end()).toBe(0);
    expect(again.said()).toContain(reused);
    expect(again.said()).toContain("no page, as asked");
  });

  test("--check says what is wrong, and fails", async () => {
    rmSync(at("small/results/marquee.html"));
    const { code, out, err } = await demo("--check", "--no-page");
    expect(code).toBe(1);
    expect(out).toMatch(/^ {3}evaluation: +FAILED: expected an evaluation with its page, got /m);
    expect(err).toMatch(/^CHECK_FAILED: evaluation: expected an evaluation with its page/m);
  });

  test("--fresh makes all of it anew, and forgets what users did", async () => {
    const { out } = await demo("--fresh", "--no-serve");
    expect(out).not.toContain(reused);
    expect([existsSync(at("small/users.db")), existsSync(at("small/results"))]).toEqual([false, false]);
  });

  /** The demo in a process of its own, once it listens. */
  async function start(...flags: string[]) {
    const args = ["demo", ...SMALL, "--config", at("small.yaml"), "--out", at("small"), ...flags];
    const child = spawn(process.execPath, [bin, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    let text = "";
    const url = await new Promise<string>((resolve, reject) => {
      const read = (data: Buffer) => {
        text += data;
        const found = /^ {2}(http:\S+?)\/?\n[\s\S]*Ctrl-C ends it/m.exec(text);
        if (found) resolve(found[1]);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      void ended.then(() => reject(new Error(text)));
    });
    const end = () => {
      child.kill("SIGINT");
      return ended;
    };
    return { url, end, said: () => text };
  }
});

test("the first port that nobody has is taken, under either name of this machine", async () => {
  const taken = createServer();
  const port = await freePort(4500);
  await new Promise<void>((resolve) => taken.listen(port, "127.0.0.1", resolve));
  try {
    expect(await freePort(port)).toBeGreaterThan(port);
  } finally {
    taken.close();
  }
});

test("a bar is full at the end, and not before", () => {
  expect(bar(0)).toBe("[------------------------]   0 %");
  expect(bar(0.5)).toBe("[############------------]  50 %");
  expect(bar(0.999)).toBe("[########################]  99 %");
  expect(bar(1)).toBe("[########################] 100 %");
});
