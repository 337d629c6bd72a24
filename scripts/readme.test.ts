// The programs and commands of README.md and docs/express.md run as printed, on a model that was trained for seconds instead of minutes.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { run } from "../packages/cli/src/testing/run.ts";
import { SMALL_TRAINING } from "../packages/cli/src/testing/small-training.ts";
import { listenNearkin } from "../test/page/nearkin.ts";
import { writeBooks } from "./testing/books.ts";

const root = join(import.meta.dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const started = process.cwd();
const running: ChildProcess[] = [];
let folder: string; // of somebody who follows README.md
let programs: string; // inside the clone, so that they find its packages

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-readme-"));
  mkdirSync(join(root, ".cache"), { recursive: true });
  programs = mkdtempSync(join(root, ".cache", "readme-"));
  process.chdir(folder);
  writeFileSync("small.yaml", SMALL_TRAINING);
});

afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
});

afterAll(() => {
  process.chdir(started);
  rmSync(folder, { recursive: true, force: true });
  rmSync(programs, { recursive: true, force: true });
});

async function succeed(...args: string[]): Promise<string> {
  const { code, out, err } = await run(...args);
  expect(code, `nearkin ${args.join(" ")}\n${err}`).toBe(0);
  return out;
}

/** The place that `npm run demo` leaves its model in, made when it is first needed. */
async function demoModel(): Promise<string> {
  const model = "nearkin-demo/model";
  if (existsSync(model)) return model;
  await succeed("prepare", "marquee", "--encoder", "lsa", "--split", "random", "--out", "nearkin-demo/dataset");
  await succeed("train", "nearkin-demo/dataset", "--config", "small.yaml", "--out", model);
  return model;
}

/** The n-th block of a language. */
function block(page: string, language: string, n = 0): string {
  const blocks = Array.from(
    page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g")),
    ([, text]) => text,
  );
  return blocks[n];
}

function save(name: string, program: string): string[] {
  const file = join(programs, name);
  writeFileSync(file, program);
  return ["--conditions=@nearkin/source", "--import", join(root, "node_modules/tsx/dist/loader.mjs"), file];
}

test("README.md has at most 150 lines", () => {
  expect(readme.split("\n").length).toBeLessThanOrEqual(150);
});

test("the program of README.md prints sums that are right", async () => {
  await demoModel();
  const printed = execFileSync(process.execPath, save("films.ts", block(readme, "ts")), { encoding: "utf8" });
  const sums = Array.from(printed.matchAll(/^.*: ([\d.]+) = (.*)$/gm), ([, distance, parts]) => {
    const contributions = parts.split(" + ").map((part) => Number(/[\d.]+$/.exec(part)?.[0]));
    return {
      distance: Number(distance),
      sum: contributions.reduce((a, b) => a + b, 0),
      channels: contributions.length,
    };
  });
  expect(sums).toHaveLength(3);
  for (const { distance, sum, channels } of sums) expect(Math.abs(distance - sum)).toBeLessThan(0.001 * channels);
  expect(printed).toMatch(/\d\.\d+ \d\.\d+\n$/); // the expected rating and its deviation
});

test("the five commands of README.md lead from CSV files to a server", async () => {
  writeBooks(folder);
  const commands = Array.from(block(readme, "sh", 1).matchAll(/^npx nearkin (.*?) +# \d\./gm), ([, args]) =>
    args.split(" "),
  );
  expect(commands.map(([name]) => name)).toEqual(["init", "prepare", "train", "evaluate", "serve"]);
  const [init, prepare, train, evaluate, serve] = commands;
  await succeed(...init);
  await succeed(...prepare, "--encoder", "lsa");
  await succeed(...train, "--config", "small.yaml");
  expect(await succeed(...evaluate)).toContain("popularity");
  const similar = /`npx nearkin (similar) (\S+) "([^"]+)" (--explain)`/.exec(readme)?.slice(1) ?? [];
  expect(await succeed(...similar)).toContain("genre");
  const server = await listenNearkin([...serve, "--port", "0", "--no-page"], /listening on (http:[^;]+);/);
  const answer = await fetch(`${server.url}/v1/items/b007/similar?k=3`);
  expect(((await answer.json()) as { items: unknown[] }).items).toHaveLength(3);
  expect(await server.end()).toBe(0);
});

/** As much of Express as the programs use, which is not a dependency. */
const express = `
import { createServer } from "node:http";
export default function express() {
  const routes = [], errors = [];
  const route = (method) => (path, ...handlers) =>
    routes.push({ method, handlers, path: new RegExp("^" + path.replaceAll(/:(\\w+)/g, "(?<$1>[^/]+)") + "$") });
  const answer = async (request, response) => {
    Object.assign(response, {
      status: (code) => Object.assign(response, { statusCode: code }),
      json: (value) => response.end(JSON.stringify(value)),
    });
    request.get = (name) => request.headers[name];
    const { handlers, path } = routes.find(({ method, path }) => method === request.method && path.test(request.url));
    request.params = path.exec(request.url).groups;
    try {
      for (const handler of handlers) await handler(request, response);
    } catch (error) {
      errors[0](error, request, response, (cause) => response.status(500).end(String(cause)));
    }
  };
  const listen = (port, then) => createServer(answer).listen(port, then);
  return { get: route("GET"), post: route("POST"), use: (handler) => errors.push(handler), listen };
}
express.json = () => async (request) => {
  request.body = JSON.parse((await request.toArray()).join(""));
};
`;

async function startApp(n: number, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const page = readFileSync(join(root, "docs/express.md"), "utf8");
  const library = join(programs, "node_modules/express");
  mkdirSync(library, { recursive: true });
  writeFileSync(join(library, "package.json"), '{ "type": "module", "main": "index.js" }');
  writeFileSync(join(library, "index.js"), express);
  const child = spawn(process.execPath, save(`app-${n}.mjs`, block(page, "js", n)), {
    env: { ...process.env, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.push(child);
  const [line] = await once(child.stdout, "data");
  return `http://127.0.0.1:${/listening on (\d+)/.exec(String(line))?.[1]}`;
}

test("the first program of docs/express.md answers lists, and 404 for an unknown item", async () => {
  await demoModel();
  const app = await startApp(0);
  const items = (await (await fetch(`${app}/films/alien-1979/similar`)).json()) as { contributions: unknown[] }[];
  expect(items).toHaveLength(5);
  expect(items[0].contributions.length).toBeGreaterThan(3);
  expect((await fetch(`${app}/films/alien-1980/similar`)).status).toBe(404);
});

test("the second program of docs/express.md stores ratings, and leaves out films that were seen", async () => {
  const server = await listenNearkin(
    ["serve", await demoModel(), "--port", "0", "--store", "express.db", "--no-page"],
    /listening on (http:[^;]+);/,
  );
  try {
    const app = await startApp(1, { NEARKIN_URL: server.url });
    const headers = { "x-user": "ann" };
    const list = async () =>
      (await (await fetch(`${app}/films/alien-1979/similar`, { headers })).json()) as { id: string }[];
    const [nearest] = await list();
    const rated = await fetch(`${app}/films/${nearest.id}/rating`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ rating: 5 }),
    });
    expect(rated.status).toBe(204);
    expect((await list()).map(({ id }) => id)).not.toContain(nearest.id);
    const missing = await fetch(`${app}/films/alien-1980/similar`, { headers });
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({
      nearest: expect.arrayContaining([{ id: "alien-1979", title: "Alien" }]),
    });
  } finally {
    await server.end();
  }
});
