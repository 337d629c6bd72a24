import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildQuery, NearkinError } from "@nearkin/core";
import { expect, test } from "vitest";
import { TinyServer, writeTinyModel } from "../testing/tiny-server.ts";
import { Served } from "./served.ts";

test("a model that was served gives everything back when it closes, its graph too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nearkin-served-"));
  try {
    await writeTinyModel(folder);
    const problems: unknown[] = [];
    for (const graphFrom of [null, 1]) {
      const options = {
        threads: 1,
        spareItems: 10,
        queue: 10,
        encode: async () => [],
        graphFrom,
        onGraphProblem: (error: unknown) => problems.push(error),
      };
      const served = await Served.open(folder, options);
      await served.startGraph(options);
      expect(served.graph === undefined).toBe(graphFrom === null);
      await expect(served.close()).resolves.toBeUndefined();
    }
    expect(problems).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("searches of the graph wait for their turn, and are dropped or answered BUSY like any other work", async () => {
  await using tiny = await TinyServer.open({ graphFrom: 1, queue: 2 });
  const served = tiny.server.context.models.current as Served;
  const { search } = served.graph as NonNullable<typeof served.graph>;
  const query = buildQuery(served.catalogue.rows, [served.catalogue.lifted(0)], served.shared);
  const callers: string[] = [];
  const answers: (() => void)[] = [];
  search.rank = async () => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return { via: "graph", list: [], overfetch: 300, recall: 1 };
  };
  const ask = (caller: string, signal?: AbortSignal) =>
    served.rank(query, { k: 1, exclude: [], allowed: undefined, exact: false, caller, signal });
  const done = (caller: string, signal?: AbortSignal) => ask(caller, signal).then(() => callers.push(caller));
  const first = Array.from({ length: 8 }, () => done("ann"));
  const gone = new AbortController();
  const next = [done("ann"), done("bob", gone.signal)];
  await expect(ask("cid")).rejects.toMatchObject({ code: "BUSY" });
  gone.abort(new Error("hung up"));
  await expect(next[1]).rejects.toThrow("hung up");
  next[1] = done("cid");
  for (let answered = 0; answered < 10; answered++) {
    await expect.poll(() => answers.length).toBeGreaterThan(0);
    answers.shift()?.();
  }
  await Promise.all([...first, ...next]);
  expect(callers.filter((caller) => caller !== "ann")).toEqual(["cid"]);
});

test("a model that was swapped out is closed also if the users thread fails to forget it", async () => {
  await using tiny = await TinyServer.open({ folders: { a: {}, b: { seed: 8 } } });
  const { models, usersThread } = tiny.server.context;
  const old = models.current as Served;
  const forget = usersThread.forget.bind(usersThread);
  usersThread.forget = async (key) => {
    await forget(key);
    throw new NearkinError("WORKER_FAILED", "the thread was lost");
  };
  await tiny.answer("activateModel", { params: { id: "b" } });
  usersThread.forget = forget;
  const query = buildQuery(old.catalogue.rows, [old.catalogue.lifted(0)], old.shared);
  const search = () => old.rank(query, { k: 1, exclude: [], allowed: undefined, exact: true });
  await expect.poll(() => search().catch(({ code }) => code)).toBe("ENGINE_CLOSED");
});
