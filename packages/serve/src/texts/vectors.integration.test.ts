import { NearkinError } from "@nearkin/core";
import type { Encoder } from "@nearkin/data/encoders";
import { expect, test } from "vitest";
import { StoreError } from "../store/errors.ts";
import { TextVectors, type VectorStore } from "./vectors.ts";

const memory = (): VectorStore & { kept: Map<string, Float32Array> } => {
  const kept = new Map<string, Float32Array>();
  return {
    kept,
    async get(_, texts) {
      return texts.map((text) => kept.get(text) ?? null);
    },
    async put(_, texts, vectors) {
      for (const [i, text] of texts.entries()) kept.set(text, vectors[i]);
    },
  };
};

const lengths = (seen: string[], delay = 0): Encoder => {
  const close = async () => {};
  return {
    name: "lengths",
    model: "lengths",
    dimensions: 2,
    async encode(texts) {
      await new Promise((resolve) => setTimeout(resolve, delay * texts.length));
      seen.push(...texts);
      return Float32Array.from(texts.flatMap((text) => [text.length, 1]));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
};

test("a text is encoded once, whether it waited or was asked for; white space makes no difference", async () => {
  const [store, seen, done] = [memory(), [] as string[], [] as string[]];
  await using vectors = new TextVectors({
    store,
    open: async () => lengths(seen),
    onEncoded: (_, texts) => done.push(...texts),
    onFailure: (_, error) => {
      throw error;
    },
  });
  vectors.later("lengths", ["a  b", "a b", "c"]);
  await vectors.idle();
  expect(seen).toEqual(["a b", "c"]);
  expect(done).toHaveLength(2);
  expect(await vectors.encode([" a b ", "new", "c"], "lengths")).toEqual([
    Float32Array.of(3, 1),
    Float32Array.of(3, 1),
    Float32Array.of(1, 1),
  ]);
  expect(seen).toEqual(["a b", "c", "new"]);
  await vectors.encode(["new"], "lengths");
  expect(seen).toHaveLength(3);
  expect([...store.kept.keys()]).toEqual(["a b", "c"]);
});

test("by how much the process grew with an encoder is told once, when it has encoded something", async () => {
  const grown: number[] = [];
  const weights: Uint8Array[] = [];
  await using vectors = new TextVectors({
    store: memory(),
    open: async () => {
      weights.push(new Uint8Array(64e6).fill(1));
      return lengths([]);
    },
    onEncoded: () => {},
    onFailure: () => {},
    onStarted: (bytes) => grown.push(bytes),
  });
  await vectors.encode(["a"], "lengths");
  await vectors.encode(["b"], "lengths");
  expect(grown).toHaveLength(1);
  expect(grown[0]).toBeGreaterThan(32e6);
});

test("what was encoded while the store was away is kept when it is back, and not encoded again", async () => {
  const [store, seen, done] = [memory(), [] as string[], [] as string[]];
  const { put } = store;
  let away = true;
  store.put = async (...args) => {
    if (!away) return put(...args);
    away = false;
    throw new StoreError("unreachable", "is away");
  };
  await using vectors = new TextVectors({
    store,
    open: async () => lengths(seen),
    onEncoded: (_, texts) => done.push(...texts),
    onFailure: (_, error) => {
      throw error;
    },
  });
  vectors.later("lengths", ["a", "b"]);
  await vectors.idle();
  expect([seen, done, [...store.kept.keys()]]).toEqual([
    ["a", "b"],
    ["a", "b"],
    ["a", "b"],
  ]);
});

test("closing does not wait for a store that is away", async () => {
  const store = memory();
  const refused = new Promise<void>((resolve) => {
    store.put = async () => {
      resolve();
      throw new StoreError("unreachable", "is away");
    };
  });
  const vectors = new TextVectors({
    store,
    open: async () => lengths([]),
    onEncoded: () => {},
    onFailure: () => {},
  });
  vectors.later("lengths", ["a"]);
  await refused;
  await vectors.close();
});

test("a request does not wait for those in the background", async () => {
  const seen: string[] = [];
  await using vectors = new TextVectors({
    store: memory(),
    open: async () => lengths(seen, 2),
    onEncoded: () => {},
    onFailure: () => {},
  });
  vectors.later(
    "lengths",
    Array.from({ length: 100 }, (_, i) => `background ${i}`),
  );
  await vectors.encode(["urgent"], "lengths");
  expect(seen.indexOf("urgent")).toBeLessThan(20);
  await vectors.idle();
  expect(seen).toHaveLength(101);
});

test("what comes while the background ends is encoded too", async () => {
  for (let turns = 0; turns < 12; turns++) {
    const seen: string[] = [];
    await using vectors: TextVectors = new TextVectors({
      store: memory(),
      open: async () => lengths(seen),
      onEncoded: async (_, [text]) => {
        for (let i = 0; i < turns; i++) await undefined;
        if (text === "first") vectors.later("lengths", ["second"]);
      },
      onFailure: () => {},
    });
    vectors.later("lengths", ["first"]);
    await expect.poll(() => ({ turns, seen })).toEqual({ turns, seen: ["first", "second"] });
  }
});

test("an encoder that cannot be had is told of, and asked for again", async () => {
  const failures: string[] = [];
  let tries = 0;
  const seen: string[] = [];
  await using vectors = new TextVectors({
    store: memory(),
    open: async () => {
      if (tries++ === 0) throw new NearkinError("ENCODER_UNAVAILABLE", "not installed");
      return lengths(seen);
    },
    onEncoded: () => {},
    onFailure: (encoder, error) => failures.push(`${encoder}: ${error.message}`),
  });
  vectors.later("lengths", ["a"]);
  await vectors.idle();
  expect(failures).toEqual(["lengths: not installed"]);
  vectors.later("lengths", ["a"]);
  await vectors.idle();
  expect(seen).toEqual(["a"]);
});

test("servers that share a store divide the texts that all of them wait for", async () => {
  const [store, seen] = [memory(), [] as string[]];
  const texts = Array.from({ length: 400 }, (_, i) => `text ${i}`);
  const done = [new Set<string>(), new Set<string>(), new Set<string>()];
  const servers = done.map(
    (own) =>
      new TextVectors({
        store,
        open: async () => lengths(seen, 0.1),
        shared: true,
        onEncoded: (_, some) => {
          for (const text of some) own.add(text);
        },
        onFailure: (_, error) => {
          throw error;
        },
      }),
  );
  for (const vectors of servers) vectors.later("lengths", texts);
  await Promise.all(servers.map((vectors) => vectors.idle()));
  expect(done.map(({ size }) => size)).toEqual([400, 400, 400]); // each has told its items
  expect(new Set(seen).size).toBe(400);
  expect(seen.length).toBeLessThan(2 * 400); // some that two were at in the same moment
  await Promise.all(servers.map((vectors) => vectors.close()));
});

test("texts in the background are encoded while requests wait all the time", async () => {
  const seen: string[] = [];
  await using vectors = new TextVectors({
    store: memory(),
    open: async () => lengths(seen),
    onEncoded: () => {},
    onFailure: () => {},
  });
  vectors.later(
    "lengths",
    Array.from({ length: 40 }, (_, i) => `background ${i}`),
  );
  const isDone = () => seen.some((text) => text === "background 39");
  const ask = async (caller: string) => {
    for (let i = 0; i < 200 && !isDone(); i++) await vectors.encode([`${caller} ${i}`], "lengths", { caller });
  };
  await Promise.all(["ann", "bob", "eve"].map(ask));
  expect(isDone()).toBe(true);
  expect(seen.length).toBeLessThan(100); // five batches, with three texts of requests between two of them
});

test("a request of many texts lets others have their turn, and ends where its caller is gone", async () => {
  const seen: string[] = [];
  await using vectors = new TextVectors({
    store: memory(),
    open: async () => lengths(seen),
    onEncoded: () => {},
    onFailure: () => {},
  });
  const many = (name: string) => Array.from({ length: 50 }, (_, i) => `${name} ${i}`);
  const gone = new AbortController();
  const long = vectors.encode(many("long"), "lengths", { caller: "ann" });
  const left = vectors.encode(many("left"), "lengths", { caller: "eve", signal: gone.signal });
  const other = vectors.encode(["other"], "lengths", { caller: "bob" });
  await other;
  expect(seen.length).toBeLessThan(30);
  gone.abort(new Error("hung up"));
  await expect(left).rejects.toThrow("hung up");
  expect(await long).toHaveLength(50);
  expect(seen.filter((text) => text.startsWith("left")).length).toBeLessThan(20);
});

test("a text that fails leaves the others as they are", async () => {
  const [seen, failures, done] = [[] as string[], [] as string[], [] as string[]];
  const whole = lengths(seen);
  await using vectors = new TextVectors({
    store: memory(),
    open: async () => ({
      ...whole,
      encode: async (texts) => {
        if (texts.includes("bad")) throw new Error("cannot be encoded");
        return whole.encode(texts);
      },
    }),
    onEncoded: (_, texts) => done.push(...texts),
    onFailure: (_, error) => failures.push(error.message),
  });
  const texts = Array.from({ length: 30 }, (_, i) => (i === 11 ? "bad" : `text ${i}`));
  vectors.later("lengths", texts);
  await vectors.idle();
  expect(failures).toEqual(["cannot be encoded"]);
  expect(done).toEqual(texts.filter((text) => text !== "bad"));
});
