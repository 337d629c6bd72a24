import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { askedUsers } from "./asked.ts";

const folder = mkdtempSync(join(tmpdir(), "nearkin-asked-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const asked = (text: string) => {
  writeFileSync(join(folder, "list.txt"), text);
  return askedUsers(join(folder, "list.txt"), []);
};

test("a list: each user once, without blanks around, a byte-order mark or empty lines", async () => {
  const { ids, repeated } = await asked("\ufeffada\r\n  bob\t\n\nada\ncleo the first \nbob");
  expect({ ids, repeated }).toEqual({ ids: ["ada", "bob", "cleo the first"], repeated: 2 });
  expect(await askedUsers("all", ["x", "y"])).toEqual({ ids: ["x", "y"], repeated: 0, identity: "all" });
});

test("its identity is what it says, not what it is called or how it is written", async () => {
  const { identity } = await asked("ada\nbob\n");
  expect(identity).toMatch(/^[0-9a-f]{64}$/);
  expect((await asked("\ufeff ada\r\nbob\r\nada")).identity).toBe(identity);
  expect((await asked("bob\nada\n")).identity).not.toBe(identity);
  expect((await asked("ada\nbob\ncleo\n")).identity).not.toBe(identity);
});
