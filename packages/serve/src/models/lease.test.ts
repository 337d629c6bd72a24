import { expect, test } from "vitest";
import { Leased } from "./lease.ts";

test("what was retired closes when the last request lets go, and once", async () => {
  const log: string[] = [];
  const leased = new Leased("model", async () => void log.push("closed"));
  let letGo = () => {};
  const request = leased.with(async (value) => {
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
    log.push(`used ${value}`);
    return 1;
  });
  const retired = Promise.all([leased.retire(), leased.retire()]);
  await new Promise((resolve) => setTimeout(resolve, 5)); // nothing closes meanwhile
  expect(log).toEqual([]);
  letGo();
  expect(await request).toBe(1);
  await retired;
  expect(log).toEqual(["used model", "closed"]);
});

test("a request that fails lets go too", async () => {
  const leased = new Leased(0, async () => {});
  await expect(leased.with(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(leased.users).toBe(0);
  await leased.retire();
});
