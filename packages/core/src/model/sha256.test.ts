import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { plainSha256, sha256 } from "./sha256.ts";

test("both ways agree with Node's, at every length around a block and beyond", async () => {
  for (const length of [0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 100_003]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) & 255);
    const expected = createHash("sha256").update(bytes).digest("hex");
    expect(await sha256(bytes)).toBe(expected);
    expect(plainSha256(bytes)).toBe(expected);
    expect(plainSha256(new Uint8Array([9, ...bytes]).subarray(1))).toBe(expected);
  }
});

test("the published example, and shared memory", async () => {
  const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(plainSha256(new TextEncoder().encode("abc"))).toBe(abc);
  const shared = new Uint8Array(new SharedArrayBuffer(3));
  shared.set(new TextEncoder().encode("abc"));
  expect(await sha256(shared)).toBe(abc);
});
