import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newKey, parseKey, secretMatches, standing } from "./keys.ts";
import { allows, type Scope, scopes } from "./scopes.ts";

const options = { name: "shop", scopes: ["read"] as const };

describe("keys", () => {
  test("a new key has its form, is read back, and its record has no secret", () => {
    const { key, kept } = newKey({ ...options, now: 5 });
    expect(key).toMatch(/^nk_[a-z2-7]{12}_[A-Za-z0-9_-]{43}$/);
    const parsed = parseKey(key);
    expect(parsed?.id).toBe(kept.id);
    expect(secretMatches(parsed?.secret ?? "", kept)).toBe(true);
    expect(JSON.stringify(kept)).not.toContain(parsed?.secret);
    expect(kept).toMatchObject({ name: "shop", scopes: ["read"], expires: null });
    expect(kept.hash).toHaveLength(32);
  });

  test("keys do not repeat", () => {
    const ids = new Set(Array.from({ length: 500 }, () => newKey(options).kept.id));
    expect(ids.size).toBe(500);
  });

  test("any changed character is refused", () => {
    const { key, kept } = newKey(options);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom(...alphabet), (at, letter) => {
        fc.pre(key[at] !== letter);
        const parsed = parseKey(key.slice(0, at) + letter + key.slice(at + 1));
        expect(parsed !== undefined && parsed.id === kept.id && secretMatches(parsed.secret, kept)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test("no other text is a key", () => {
    const { key } = newKey(options);
    for (const text of [
      "",
      "nk_",
      `${key} `,
      ` ${key}`,
      `${key}\n`,
      `${key}A`,
      key.slice(0, -1),
      key.toUpperCase(),
      `x${key}`,
    ]) {
      expect(parseKey(text)).toBeUndefined();
    }
    fc.assert(fc.property(fc.string(), (text) => parseKey(text) === undefined));
  });

  test("without a record nothing matches, nor with a record that is damaged", () => {
    const { key, kept } = newKey(options);
    const secret = parseKey(key)?.secret ?? "";
    expect(secretMatches(secret, null)).toBe(false);
    expect(secretMatches(secret, { hash: new Uint8Array(0) })).toBe(false);
    expect(secretMatches(secret, { hash: kept.hash.slice(1) })).toBe(false);
  });

  test("expiry and revocation", () => {
    const { kept } = newKey({ ...options, expires: 100, now: 1 });
    const record = { ...kept, revoked: null };
    expect(standing(record, 99)).toBe("live");
    expect(standing(record, 100)).toBe("expired");
    expect(standing({ ...record, revoked: 50 }, 10)).toBe("revoked");
    expect(standing({ ...record, expires: null }, Number.MAX_SAFE_INTEGER)).toBe("live");
  });

  test("bad wishes", () => {
    expect(() => newKey({ name: "", scopes: ["read"] })).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: keys: a name has 1 to 200 characters, got 0]`,
    );
    expect(() => newKey({ name: "😀".repeat(201), scopes: ["read"] })).toThrow(/got 201/);
    expect(newKey({ name: "😀".repeat(200), scopes: ["read"] }).kept.name).toHaveLength(400);
    expect(() => newKey({ name: "a", scopes: [] })).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: keys: scopes are one or more of read, events, admin, got []]`,
    );
    expect(() => newKey({ name: "a", scopes: ["write" as Scope] })).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: keys: scopes are one or more of read, events, admin, got [write]]`,
    );
    expect(() => newKey({ ...options, expires: 5, now: 5 })).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: keys: expires must lie ahead; leave it out for a key that does not expire]`,
    );
  });
});

test("admin implies every scope, and no other implies another", () => {
  for (const held of scopes) {
    for (const wanted of scopes) expect(allows([held], wanted)).toBe(held === wanted || held === "admin");
  }
  expect(allows([], "read")).toBe(false);
});
