import { patience } from "@nearkin/core/testing";
import { expect, test } from "vitest";
import { RefreshQueue } from "./refresh.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("many events of one user in a short while are one fit", async () => {
  const fits: string[] = [];
  await using queue = new RefreshQueue(async (user) => void fits.push(user), { delay: 20 });
  for (let i = 0; i < 50; i++) for (const user of ["ann", "bob"]) queue.add(user);
  await queue.idle();
  expect(fits.sort()).toEqual(["ann", "bob"]);
});

test("users by the thousand take no time to add", async () => {
  await using queue = new RefreshQueue(async () => {}, { delay: 60_000 });
  const started = performance.now();
  for (let i = 0; i < 50_000; i++) queue.add(`user ${i}`);
  expect(performance.now() - started).toBeLessThan(10_000 * patience); // a minute if each looked through all before it
  expect(queue.size).toBe(50_000);
});

test("a new event does not wait for a fit that is to be tried again much later", async () => {
  const fits: string[] = [];
  await using queue = new RefreshQueue(
    async (user) => {
      fits.push(user);
      if (user === "ann") throw new Error("no");
    },
    { delay: 5, retryDelay: 60_000 },
  );
  queue.add("ann");
  await expect.poll(() => fits).toEqual(["ann"]);
  queue.add("bob");
  await expect.poll(() => fits).toEqual(["ann", "bob"]);
});

test("an event that comes while the fit runs asks for another one, never two at once", async () => {
  let [under, most, fits] = [0, 0, 0];
  const running: (() => void)[] = [];
  await using queue = new RefreshQueue(
    async () => {
      most = Math.max(most, ++under);
      await new Promise<void>((resolve) => running.push(resolve));
      under--;
      fits++;
    },
    { delay: 1, concurrency: 4 },
  );
  queue.add("ann");
  await expect.poll(() => running.length).toBe(1);
  queue.add("ann");
  running[0]();
  await expect.poll(() => running.length).toBe(2);
  running[1]();
  await queue.idle();
  expect({ fits, most }).toEqual({ fits: 2, most: 1 });
});

test("a fit that fails is tried again, and given up in the end", async () => {
  const failures: unknown[] = [];
  let tries = 0;
  await using queue = new RefreshQueue(
    async () => {
      tries++;
      throw new Error("no");
    },
    { delay: 0, retryDelay: 1, attempts: 3, onFailure: (error) => failures.push(error) },
  );
  queue.add("ann");
  await queue.idle();
  expect(tries).toBe(3);
  expect(failures).toHaveLength(1);
});

test("what passes by itself is waited for, however often it fails; a backlog that broke off is asked for anew", async () => {
  const failures: unknown[] = [];
  const fits: string[] = [];
  let [tries, lists] = [0, 0];
  async function* stale() {
    if (++lists === 1) throw new Error("away");
    yield "stale";
    if (lists === 2) throw new Error("away");
  }
  await using queue = new RefreshQueue(
    async (user) => {
      if (user === "ann" && ++tries < 7) throw new Error("away");
      fits.push(user);
    },
    {
      delay: 0,
      retryDelay: 1,
      attempts: 3,
      passes: (error) => (error as Error).message === "away",
      onFailure: (error) => failures.push(error),
    },
  );
  queue.add("ann");
  queue.follow(stale);
  await queue.idle();
  expect({ tries, lists, failures }).toEqual({ tries: 7, lists: 3, failures: [] });
  expect(fits).toEqual(["ann", "stale", "stale"]);
});

test("a backlog waits for those with new events", async () => {
  const fits: string[] = [];
  async function* stale() {
    for (let i = 0; i < 5; i++) yield `stale ${i}`;
  }
  await using queue = new RefreshQueue(
    async (user) => {
      await pause(5);
      fits.push(user);
    },
    { delay: 0, concurrency: 1 },
  );
  queue.follow(stale);
  queue.add("ann");
  await queue.idle();
  expect(fits).toHaveLength(6);
  expect(fits.indexOf("ann")).toBeLessThan(2);
});

test("a user who is dropped is not fitted; closing waits for what runs", async () => {
  const fits: string[] = [];
  let begun = false;
  const queue = new RefreshQueue(
    async (user) => {
      begun = true;
      await pause(20);
      fits.push(user);
    },
    { delay: 5 },
  );
  queue.add("gone");
  queue.drop("gone");
  queue.add("ann");
  await expect.poll(() => begun).toBe(true);
  await queue.close();
  expect(fits).toEqual(["ann"]);
});

test("users beyond the limit do not wait by name: they are fitted after the others, as the store knows them", async () => {
  const [fits, stored] = [[] as string[], new Set<string>()];
  await using queue = new RefreshQueue(
    async (user) => {
      stored.delete(user);
      fits.push(user);
    },
    {
      delay: 1,
      limit: 2,
      async *stale() {
        yield* [...stored];
      },
    },
  );
  for (const user of ["ann", "bob", "cid", "dan"]) {
    stored.add(user);
    queue.add(user);
  }
  expect(queue.size).toBe(2);
  await queue.idle();
  expect(fits).toEqual(["ann", "bob", "cid", "dan"]);
  expect(queue.busy).toBe(false);
});
