import { beforeEach, describe, expect, test } from "vitest";
import { KeyRing } from "./key-ring.ts";
import { type ParsedKey, parseKey } from "./keys.ts";
import { MemoryKeyStore } from "./testing/memory-key-store.ts";

let store: MemoryKeyStore;
let time: number;
let errors: unknown[];
let ring: KeyRing;

beforeEach(() => {
  store = new MemoryKeyStore();
  time = 1_000_000;
  errors = [];
  ring = newRing();
});

function newRing(options = {}): KeyRing {
  return new KeyRing(store, { now: () => time, onError: (error) => errors.push(error), ...options });
}

async function create(expires: number | null = null): Promise<ParsedKey> {
  const { key } = await ring.create({ name: "test", scopes: ["read"], expires });
  return parseKey(key) as ParsedKey;
}

describe("a ring of keys", () => {
  test("verifies, and asks the store once while what it said is fresh", async () => {
    const key = await create();
    for (let i = 0; i < 5; i++) expect(await ring.verify(key)).toMatchObject({ record: { id: key.id } });
    expect(store.reads).toBe(1);
    time += 2000;
    await ring.verify(key);
    expect(store.reads).toBe(2);
  });

  test("says why a key is refused", async () => {
    const key = await create(time + 10);
    expect(await ring.verify({ ...key, id: "aaaaaaaaaaaa" })).toEqual({ failure: "unknown" });
    expect(await ring.verify({ ...key, secret: "A".repeat(43) })).toEqual({ failure: "wrong secret" });
    time += 10; // no need to ask the store to know that a key has expired
    expect(await ring.verify(key)).toEqual({ failure: "expired" });
    await ring.revoke(key.id);
    expect(await ring.verify(key)).toEqual({ failure: "revoked" });
    expect(await ring.revoke("aaaaaaaaaaaa")).toBe(false);
  });

  test("told that some key was revoked elsewhere, it reads each again before it believes it", async () => {
    const [revoked, other] = [await create(), await create()];
    for (const key of [revoked, other]) await ring.verify(key);
    await store.revoke(revoked.id); // by another server
    expect(await ring.verify(revoked)).toHaveProperty("record");
    ring.doubt();
    expect(await ring.verify(revoked)).toEqual({ failure: "revoked" });
    expect(await ring.verify(other)).toHaveProperty("record");
    expect(await ring.verify(other)).toHaveProperty("record");
    expect(store.reads).toBe(4);
    ring.doubt();
    store.failure = new Error("away");
    expect(await ring.verify(other)).toHaveProperty("record"); // as long as any key is, where the store cannot be asked
    expect(errors).toHaveLength(1);
  });

  test("a key revoked here is refused at once", async () => {
    const key = await create();
    await ring.verify(key);
    expect(await ring.revoke(key.id)).toBe(true);
    expect(await ring.verify(key)).toEqual({ failure: "revoked" });
    expect(await ring.verifyNamed(key.id)).toEqual({ failure: "revoked" });
  });

  test("a key revoked elsewhere is refused within two seconds", async () => {
    const key = await create();
    await ring.verify(key);
    await newRing().revoke(key.id);
    time += 1999;
    expect(await ring.verify(key)).toHaveProperty("record");
    time += 1;
    expect(await ring.verify(key)).toEqual({ failure: "revoked" });
  });

  test("a clock that is put back by an hour makes nothing fresh that is not, with a store and without", async () => {
    const [revoked, other] = [await create(), await create()];
    for (const key of [revoked, other]) await ring.verify(key);
    await store.revoke(revoked.id); // by another process
    time -= 3_600_000;
    expect(await ring.verify(revoked)).toEqual({ failure: "revoked" });
    store.failure = new Error("away");
    await expect(ring.verify(other)).rejects.toThrow("away");
  });

  test("a read that was under way while the key was revoked is not remembered, nor shared with later requests", async () => {
    const key = await create();
    let open = () => {};
    store.gate = new Promise((resolve) => {
      open = resolve;
    });
    const before = ring.verify(key); // reads the record as it was, and waits
    await ring.revoke(key.id);
    const after = ring.verify(key);
    open();
    expect(await before).toHaveProperty("record");
    expect(await after).toEqual({ failure: "revoked" });
    expect(await ring.verify(key)).toEqual({ failure: "revoked" });
  });

  test("requests that come together share one read", async () => {
    const key = await create();
    await Promise.all(Array.from({ length: 20 }, () => ring.verify(key)));
    expect(store.reads).toBe(1);
  });

  test("ids that are not there are neither remembered nor push keys out", async () => {
    ring = newRing({ most: 2 });
    const key = await create();
    await ring.verify(key);
    for (let i = 0; i < 10; i++) await ring.verify({ ...key, id: `aaaaaaaaaa${String(i).padStart(2, "a")}` });
    expect(ring.knows(key.id)).toBe(true);
    expect(ring.knows("aaaaaaaaaaa1")).toBe(false);
  });

  test("memory is bounded; whoever was used last stays", async () => {
    ring = newRing({ most: 2 });
    const [a, b, c] = [await create(), await create(), await create()];
    await ring.verify(a);
    await ring.verify(b);
    await ring.verify(a);
    await ring.verify(c);
    expect([a, b, c].map(({ id }) => ring.knows(id))).toEqual([true, false, true]);
  });

  test("lastUsed is written once a minute, in the background", async () => {
    const key = await create();
    for (let i = 0; i < 10; i++) {
      await ring.verify(key);
      time += 10_000;
    }
    await ring.settle();
    expect(store.touches).toEqual([
      { id: key.id, time: 1_000_000 },
      { id: key.id, time: 1_060_000 },
    ]);
    expect(store.records.get(key.id)?.lastUsed).toBe(1_060_000);
  });

  test("where lastUsed cannot be written, the request goes on", async () => {
    const key = await create();
    const full = new Error("disk full");
    store.touch = () => Promise.reject(full);
    expect(await ring.verify(key)).toHaveProperty("record");
    await ring.settle();
    expect(errors).toEqual([full]);
  });

  test("without the store, keys are believed for a short while, and strangers not at all", async () => {
    const key = await create();
    await ring.verify(key);
    store.failure = new Error("gone");
    time += 2000 + 9999;
    expect(await ring.verify(key)).toHaveProperty("record");
    expect(errors).toHaveLength(1);
    time += 1;
    await expect(ring.verify(key)).rejects.toThrow("gone");
    await expect(ring.verify({ ...key, id: "aaaaaaaaaaaa" })).rejects.toThrow("gone");
    store.failure = undefined;
    expect(await ring.verify(key)).toHaveProperty("record");
  });
});
