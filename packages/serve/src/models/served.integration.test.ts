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
