import type { ModelInfo } from "@nearkin/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { forgetModel, keepModel, keptModel } from "./kept-model.ts";
import { memory } from "./testing/memory-caches.ts";

const info = (id: string) => ({ id, name: "films", personalizes: true }) as ModelInfo;
const files = (text: string) =>
  new Map([
    ["model.json", new TextEncoder().encode(text).buffer as ArrayBuffer],
    ["items.safetensors", new ArrayBuffer(3)],
  ]);
const textOf = (bytes: ArrayBuffer | undefined) => new TextDecoder().decode(bytes);

describe("a model that is kept", () => {
  test("comes back as it was", async () => {
    const { at } = memory();
    expect(await keptModel(at)).toBeUndefined();
    await keepModel({ info: info("a"), files: files("one") }, at);
    const kept = await keptModel(at);
    expect(kept?.info).toEqual(info("a"));
    expect([...(kept?.files.keys() ?? [])]).toEqual(["model.json", "items.safetensors"]);
    expect(textOf(kept?.files.get("model.json"))).toBe("one");
  });

  test("gives way to another", async () => {
    const { at, caches } = memory();
    await keepModel({ info: info("a"), files: files("one") }, at);
    await keepModel({ info: info("b"), files: files("two") }, at);
    expect(caches.size).toBe(1);
    expect(textOf((await keptModel(at))?.files.get("model.json"))).toBe("two");
  });

  test("is whole or not there: where there is no room for all of it, nothing is kept", async () => {
    const { at } = memory(2);
    await keepModel({ info: info("a"), files: files("one") }, at);
    expect(await keptModel(at)).toBeUndefined();
  });

  test("is forgotten where a file of it was lost", async () => {
    const { at, caches } = memory();
    await keepModel({ info: info("a"), files: files("one") }, at);
    for (const entries of caches.values()) entries.delete("/kept-model/files/items.safetensors");
    expect(await keptModel(at)).toBeUndefined();
    expect(caches.size).toBe(0);
  });

  test("can be forgotten, and needs no store", async () => {
    const { at } = memory();
    await keepModel({ info: info("a"), files: files("one") }, at);
    await forgetModel(at);
    expect(await keptModel(at)).toBeUndefined();
    await keepModel({ info: info("a"), files: files("one") }, undefined);
    expect(await keptModel(undefined)).toBeUndefined();
  });

  test("a browser that refuses its store as soon as it is touched keeps nothing, and nothing breaks", async () => {
    Object.defineProperty(globalThis, "caches", {
      configurable: true,
      get() {
        throw new DOMException("refused", "SecurityError");
      },
    });
    onTestFinished(() => {
      Reflect.deleteProperty(globalThis, "caches");
    });
    await keepModel({ info: info("a"), files: files("one") });
    expect(await keptModel()).toBeUndefined();
    await forgetModel();
  });
});
