import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeOnBoth } from "../testing/on-both.ts";
import { TinyServer, writeTinyModel } from "../testing/tiny-server.ts";

describeOnBoth("models", (fresh) => {
  let tiny: TinyServer;
  beforeAll(async () => {
    tiny = await TinyServer.open({
      place: fresh(),
      folders: { a: {}, b: { seed: 8 }, small: { n: 20, withoutPosterior: true, withoutPersonal: true } },
    });
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  const idOf = async (folder: string) => (await tiny.answer("getModel", { params: { id: folder } })).id as string;
  const active = async () => (await tiny.answer("listModels")).active;

  test("are listed as they are on disk; the first is active", async () => {
    const { models, active: id, previous } = await tiny.answer("listModels");
    expect(models.map(({ folder, active: on, problems }) => [folder, on, problems])).toEqual([
      ["a", true, []],
      ["b", false, []],
      ["small", false, []],
    ]);
    expect(id).toBe(models[0].id);
    expect(previous).toBeNull();
    expect(models[0].channels.map(({ name, type }) => [name, type])).toContainEqual(["genres", "categories"]);
  });

  test("a swap under load fails no request, and every answer is whole: of the one model or of the other", async () => {
    const [a, b] = [await idOf("a"), await idOf("b")];
    const list = async () => await tiny.answer("similarToItem", { params: { id: "f000" }, query: { k: "10" } });
    const first = await list();
    let stop = false;
    const seen = new Map<string, string>();
    const load = Array.from({ length: 8 }, async () => {
      while (!stop) {
        const { model, items } = await list();
        const text = JSON.stringify(items);
        expect(seen.get(model) ?? text).toBe(text);
        seen.set(model, text);
        await new Promise((turn) => setImmediate(turn)); // requests without sockets leave no turn to anything else
      }
    });
    for (const name of ["b", "a", "b"]) await tiny.answer("activateModel", { params: { id: name } });
    stop = true;
    await Promise.all(load);
    expect(await active()).toBe(b);
    expect([...seen.keys()].sort()).toEqual([a, b].sort());
    expect(seen.get(a)).toBe(JSON.stringify(first.items));
  });

  test("rollback goes back to the one before", async () => {
    const before = await active();
    const { model, previous } = await tiny.answer("rollbackModel");
    expect(previous).toBe(before);
    expect(model.folder).toBe("a");
    expect(await active()).toBe(model.id);
  });

  test("items put at run time are in the next model too, with the channels that it has", async () => {
    await tiny.answer("putItem", {
      params: { id: "ferry" },
      body: { title: "Night Ferry", channels: { year: 1961, plot: "a ferry" } },
    });
    await tiny.answer("deleteItem", { params: { id: "f005" } });
    await tiny.answer("activateModel", { params: { id: "b" } });
    expect((await tiny.answer("getItem", { params: { id: "ferry" } })).title).toBe("Night Ferry");
    expect((await tiny.ask("getItem", { params: { id: "f005" } })).status).toBe(404);
    await tiny.answer("activateModel", { params: { id: "a" } });
  });

  test("weights of users carry over by channel, and are fitted again in the background", async () => {
    const events = ["f001", "f008", "f015", "f022"].map((item, i) => ({ user: "ann", item, rating: i, time: i }));
    await tiny.answer("addEvents", { body: { events } });
    await tiny.server.context.refresh.idle();
    await tiny.answer("putMetric", { params: { id: "bob" }, body: { weights: { genres: 5 } } });
    const before = await tiny.answer("getMetric", { params: { id: "bob" } });
    const old = await tiny.answer("getMetric", { params: { id: "ann" } });
    await tiny.answer("activateModel", { params: { id: "b" } });
    const carried = await tiny.answer("getMetric", { params: { id: "bob" } });
    expect(carried.reason).toBe("set by hand under another model, carried over by channel");
    for (const channel of Object.keys(carried.weights)) {
      expect(carried.weights[channel] / carried.base[channel]).toBeCloseTo(
        before.weights[channel] / before.base[channel],
        10,
      );
    }
    await tiny.server.context.refresh.idle();
    const fitted = await tiny.answer("getMetric", { params: { id: "ann" } });
    expect(fitted).toMatchObject({ source: "ratings", reason: "fitted to 4 items" });
    expect(fitted.weights).not.toEqual(old.weights);
  });

  test("one that is damaged is not activated, says why, and the old one goes on", async () => {
    cpSync(join(tiny.folder, "models", "a"), join(tiny.folder, "models", "damaged"), { recursive: true });
    const file = join(tiny.folder, "models", "damaged", "items.safetensors");
    const bytes = readFileSync(file);
    bytes[bytes.length - 5] ^= 1;
    writeFileSync(file, bytes);
    cpSync(join(tiny.folder, "models", "a"), join(tiny.folder, "models", "torn"), { recursive: true });
    writeFileSync(join(tiny.folder, "models", "torn", "model.json"), '{"format": "nearkin-mo');
    const before = await active();
    for (const folder of ["damaged", "torn"]) {
      const { status, error } = await tiny.ask("activateModel", { params: { id: folder } });
      expect([folder, status, error.code]).toEqual([folder, 422, "BAD_MODEL"]);
      const { valid, problems } = await tiny.answer("validateModel", { params: { id: folder } });
      expect(valid).toBe(false);
      expect(problems).toHaveLength(1);
    }
    expect(await active()).toBe(before);
    expect((await tiny.answer("similarToItem", { params: { id: "f000" } })).items).toHaveLength(10);
  });

  test("validation says what would be lost", async () => {
    const { valid, warnings } = await tiny.answer("validateModel", { params: { id: "small" } });
    expect(valid).toBe(true);
    expect(warnings).toEqual([
      "items of the active model that it has not: 20",
      "it knows nothing of how users differ",
      "it cannot predict ratings",
    ]);
  });

  test("one that knows neither users nor ratings says so, and serves the rest", async () => {
    await tiny.answer("activateModel", { params: { id: "small" } });
    expect((await tiny.ask("personalize", { params: { id: "ann" }, body: {} })).error.code).toBe("UNSUPPORTED");
    expect((await tiny.ask("nextQuestion", { params: { id: "ann" } })).error.code).toBe("UNSUPPORTED");
    const order = await tiny.ask("similarToItem", { params: { id: "f000" }, query: { order: "safe" } });
    expect([order.status, order.error.code]).toEqual([422, "UNSUPPORTED"]);
    const list = await tiny.answer("similarToItem", {
      params: { id: "f000" },
      query: { user: "new", predict: "true" },
    });
    expect(list.items[0].predicted).toBeNull();
    await tiny.answer("activateModel", { params: { id: "a" } });
  });

  test("unknown ones are a 404; only one is activated at a time", async () => {
    expect((await tiny.ask("activateModel", { params: { id: "nobody" } })).error.code).toBe("UNKNOWN_MODEL");
    const both = await Promise.all(["a", "b"].map((id) => tiny.ask("activateModel", { params: { id } })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test("a folder that comes later can be activated, and is active after a restart", async () => {
    await writeTinyModel(join(tiny.folder, "models", "later"), { seed: 9 });
    const { model } = await tiny.answer("activateModel", { params: { id: "later" } });
    await tiny.stop();
    await tiny.start();
    expect(await active()).toBe(model.id);
  });
});
