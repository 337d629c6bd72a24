// What /metrics tells of a whole server: beside requests, the parts behind them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TinyServer } from "../testing/tiny-server.ts";

describe("metrics of the parts", () => {
  let tiny: TinyServer;
  beforeAll(async () => {
    tiny = await TinyServer.open({ folders: { a: {}, b: { seed: 8 } } });
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  const value = async (series: string): Promise<number> => {
    const { text } = await tiny.ask("metrics");
    const line = text.split("\n").find((one) => one.startsWith(`${series} `));
    return line === undefined ? Number.NaN : Number(line.slice(series.length));
  };

  test("calls to the store are timed by name, and counted where they fail", async () => {
    const series = 'nearkin_store_call_duration_seconds_count{call="events.add"}';
    const events = [{ user: "u", item: "f000", rating: 4, time: "2026-01-01T00:00:00Z" }];
    await tiny.answer("addEvents", { body: { events } });
    expect(await value(series)).toBe(1);
    await tiny.answer("addEvents", { body: { events } });
    expect(await value(series)).toBe(2);
    await expect(tiny.server.context.store.metrics.get("\ud800")).rejects.toThrow("lone surrogates");
    expect(await value('nearkin_store_failures_total{call="metrics.get"}')).toBe(1);
  });

  test("swaps of models are counted by how they ended", async () => {
    const { id } = await tiny.answer("getModel", { params: { id: "b" } });
    await tiny.answer("activateModel", { params: { id: "b" } });
    await tiny.answer("rollbackModel");
    expect((await tiny.ask("activateModel", { params: { id: "c" } })).status).toBe(404);
    for (const outcome of ["activated", "rolled_back", "refused"]) {
      expect(await value(`nearkin_model_swaps_total{outcome="${outcome}"}`)).toBe(1);
    }
    expect(await value(`nearkin_model_info{id="${id}"}`)).toBeNaN();
  });
});
