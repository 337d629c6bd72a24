import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { KeyRing } from "./key-ring.ts";
import { MemoryKeyStore } from "./testing/memory-key-store.ts";
import { BrowserTokens, readToken, signToken, type TokenClaims } from "./tokens.ts";

const secret = new Uint8Array(32).fill(7);
const other = new Uint8Array(32).fill(8);
const claims: TokenClaims = { user: "ana", iat: 1000, exp: 2000, scopes: ["read"], key: "aaaaaaaaaaaa" };

const anyUser = fc.string({ unit: "binary", minLength: 1, maxLength: 60 }).filter((user) => !user.includes("\0"));

describe("a token", () => {
  test("says what was signed, whoever the user", () => {
    fc.assert(
      fc.property(anyUser, fc.nat(), fc.nat(), (user, iat, life) => {
        const signed: TokenClaims = { ...claims, user, iat, exp: iat + life };
        expect(readToken(signToken(signed, secret), [secret])).toEqual(signed);
      }),
    );
  });

  test("the longest user fits, and fits a header", () => {
    const user = "\u{FFFD}".repeat(512);
    const token = signToken({ ...claims, user }, secret);
    expect(readToken(token, [secret])?.user).toBe(user);
    expect(token.length).toBeLessThan(4096);
    const lone = "\ud800".repeat(512); // escaped by JSON, six letters each
    expect(readToken(signToken({ ...claims, user: lone }, secret), [secret])?.user).toBe(lone);
  });

  test("no changed bit passes", () => {
    const token = signToken(claims, secret);
    for (let at = 0; at < token.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const bytes = Buffer.from(token, "latin1");
        bytes[at] ^= 1 << bit;
        expect(readToken(bytes.toString("latin1"), [secret])).toBeUndefined();
      }
    }
  });

  test("no other text passes: cut, lengthened, put together from two", () => {
    const token = signToken(claims, secret);
    const [head, tag] = token.split(".");
    const [otherHead, otherTag] = signToken({ ...claims, user: "bob" }, secret).split(".");
    for (const text of [
      "",
      "nt_",
      "nt_.",
      head,
      `${head}.`,
      `.${tag}`,
      `${token}A`,
      `${token}=`,
      `${token} `,
      `${token}\n`,
      `${head}.${otherTag}`,
      `${otherHead}.${tag}`,
      token.slice(3),
      `${token}.${tag}`,
      "nt_".padEnd(9000, "A"),
    ]) {
      expect(readToken(text, [secret])).toBeUndefined();
    }
    fc.assert(fc.property(fc.string(), (text) => readToken(text, [secret]) === undefined));
  });

  test("is signed with the secret, and any of several may read it", () => {
    const token = signToken(claims, secret);
    expect(readToken(token, [other])).toBeUndefined();
    expect(readToken(token, [])).toBeUndefined();
    expect(readToken(token, [other, secret])).toEqual(claims);
  });

  test("signed, but of another shape", () => {
    for (const wrong of [
      { ...claims, user: "" },
      { ...claims, user: 5 },
      { ...claims, scopes: ["admin"] },
      { ...claims, scopes: "read" },
      { ...claims, exp: null },
      { ...claims, key: undefined },
    ]) {
      expect(readToken(signToken(wrong as unknown as TokenClaims, secret), [secret])).toBeUndefined();
    }
  });
});

describe("browser tokens", () => {
  let store: MemoryKeyStore;
  let time: number;
  let ring: KeyRing;
  let tokens: BrowserTokens;

  beforeEach(() => {
    store = new MemoryKeyStore();
    time = 1_000_000;
    ring = new KeyRing(store, { now: () => time });
    tokens = new BrowserTokens(ring, { secrets: () => [secret], now: () => time });
  });

  async function key(scopes: ("read" | "events" | "admin")[] = ["read", "events"]) {
    return (await ring.create({ name: "backend", scopes })).record;
  }

  test("live for a quarter of an hour, give or take a clock", async () => {
    const { token, expires } = tokens.issue(await key(), { user: "ana" });
    expect(expires).toBe(time + 15 * 60_000);
    expect(await tokens.verify(token)).toMatchObject({ claims: { user: "ana", scopes: ["read", "events"] } });
    time = expires + 4999;
    expect(await tokens.verify(token)).toHaveProperty("claims");
    time = expires + 5000;
    expect(await tokens.verify(token)).toEqual({ failure: "expired" });
    time = 1_000_000 - 3600_000; // a clock that was put back
    expect(await tokens.verify(token)).toHaveProperty("claims");
    time = 1_000_000 - 24 * 3600_000 - 1;
    expect(await tokens.verify(token)).toEqual({ failure: "bad token" });
  });

  test("die with the key that asked for them", async () => {
    const record = await key();
    const { token } = tokens.issue(record, { user: "ana" });
    expect(await tokens.verify(token)).toHaveProperty("claims");
    await ring.revoke(record.id);
    expect(await tokens.verify(token)).toEqual({ failure: "revoked" });
  });

  test("can do no more than their key, today", async () => {
    const reader = await key(["read"]);
    expect(tokens.issue(reader, { user: "ana" }).scopes).toEqual(["read"]);
    expect(() => tokens.issue(reader, { user: "ana", scopes: ["events"] })).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: tokens: scopes are one or more of read, events that the key itself holds, got [events]]`,
    );
    const admin = await key(["admin"]);
    expect(tokens.issue(admin, { user: "ana" }).scopes).toEqual(["read", "events"]);
    expect(() => tokens.issue(admin, { user: "ana", scopes: ["admin" as "read"] })).toThrow(/got \[admin\]/);
    expect(() => tokens.issue(admin, { user: "ana", scopes: [] })).toThrow(/one or more/);
    const { token } = tokens.issue(admin, { user: "ana" });
    store.records.set(admin.id, { ...admin, scopes: ["events", "unheard of"] });
    time += 2000;
    expect(await tokens.verify(token)).toMatchObject({ claims: { scopes: ["events"] } });
  });

  test("forgeries never reach the store", async () => {
    const forged = new BrowserTokens(ring, { secrets: () => [other], now: () => time }).issue(await key(), {
      user: "ana",
    });
    const { reads } = store;
    expect(await tokens.verify(forged.token)).toEqual({ failure: "bad token" });
    expect(store.reads).toBe(reads);
  });

  test("bad wishes", async () => {
    const record = await key();
    expect(() => tokens.issue(record, { user: "" })).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: tokens: user has 1 to 512 characters and no NUL]`,
    );
    expect(() => tokens.issue(record, { user: "a\0" })).toThrow(/no NUL/);
    expect(() => tokens.issue(record, { user: "😀".repeat(513) })).toThrow(/1 to 512/);
    expect(tokens.issue(record, { user: "😀".repeat(512) }).token).toMatch(/^nt_/);
    expect(() => tokens.issue(record, { user: "a", lifeMs: 24 * 3600_000 + 1 })).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: tokens: a token lives for up to 86400000 ms, got 86400001]`,
    );
    for (const lifeMs of [0, -1, Number.NaN]) expect(() => tokens.issue(record, { user: "a", lifeMs })).toThrow();
  });
});
