import fc from "fast-check";
import { expect, test } from "vitest";
import { readCredential } from "./credentials.ts";
import { newKey } from "./keys.ts";

const { key, kept } = newKey({ name: "test", scopes: ["read"] });

test("a key or a token, in either header", () => {
  const read = { kind: "key", key: { id: kept.id } };
  expect(readCredential({ authorization: `Bearer ${key}` })).toMatchObject(read);
  expect(readCredential({ authorization: `bearer   ${key}` })).toMatchObject(read);
  expect(readCredential({ "x-api-key": key })).toMatchObject(read);
  expect(readCredential({ authorization: `Bearer ${key}`, "x-api-key": key })).toMatchObject(read);
  expect(readCredential({ authorization: "Bearer nt_a.b" })).toEqual({ kind: "token", token: "nt_a.b" });
});

test("nothing shown, and what is neither", () => {
  expect(readCredential({})).toEqual({ kind: "none" });
  const other = newKey({ name: "test", scopes: ["read"] }).key;
  for (const headers of [
    { authorization: "" },
    { authorization: key },
    { authorization: "Bearer" },
    { authorization: "Bearer " },
    { authorization: `Basic ${key}` },
    { authorization: `Bearer ${key} ${key}` },
    { authorization: `Bearer ${key}, Bearer ${key}` },
    { "x-api-key": "" },
    { "x-api-key": `${key}, ${key}` },
    { "x-api-key": [key, key] },
    { authorization: `Bearer ${key}`, "x-api-key": other },
    { authorization: "Basic abc", "x-api-key": key },
  ]) {
    expect(readCredential(headers)).toEqual({ kind: "malformed" });
  }
});

test("no header makes it throw", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (authorization, apiKey) => {
      expect(["none", "malformed", "token"]).toContain(readCredential({ authorization, "x-api-key": apiKey }).kind);
    }),
  );
});
