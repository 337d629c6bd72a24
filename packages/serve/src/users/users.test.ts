import { expect, test } from "vitest";
import { openStore, type Store } from "../store/store.ts";
import { UsersThread } from "./thread.ts";
import { Users } from "./users.ts";

/** A store whose answers about events are held back until they are let go, one after the other. */
function slowly(store: Store): { store: Store; letGo: (() => void)[] } {
  const letGo: (() => void)[] = [];
  const ofUser: Store["events"]["ofUser"] = async (...asked) => {
    const events = await store.events.ofUser(...asked);
    await new Promise<void>((resolve) => letGo.push(resolve));
    return events;
  };
  return { store: { ...store, events: { ...store.events, ofUser } }, letGo };
}

const rated = (item: string) => [{ user: "ann", item, type: "rating", rating: 3 }];
const turn = () => new Promise((resolve) => setTimeout(resolve, 20));

test("what was read before a change, and comes after it, is not remembered", async () => {
  await using real = await openStore(":memory:");
  await using thread = new UsersThread();
  const { store, letGo } = slowly(real);
  const users = new Users({ store, thread, cacheFor: Number.POSITIVE_INFINITY });
  await real.events.add(rated("a"));
  const before = users.known("ann");
  await turn();
  await real.events.add(rated("b"));
  users.forget("ann");
  const after = users.known("ann"); // while the first is still on its way
  await turn();
  letGo[0]();
  expect((await before).history.map(({ item }) => item)).toEqual(["a"]);
  expect(users.known("ann")).toBe(after); // nobody asks the store a third time
  letGo[1]();
  expect((await after).history.map(({ item }) => item)).toEqual(["a", "b"]);
  expect(await users.known("ann")).toBe(await after);
  expect(letGo).toHaveLength(2);
});

test("a read that fails is asked for again", async () => {
  await using real = await openStore(":memory:");
  await using thread = new UsersThread();
  let fails = true;
  const get: Store["metrics"]["get"] = (user) => (fails ? Promise.reject(new Error("away")) : real.metrics.get(user));
  const users = new Users({ store: { ...real, metrics: { ...real.metrics, get } }, thread, cacheFor: 1000 });
  await expect(users.known("ann")).rejects.toThrow("away");
  fails = false;
  expect((await users.known("ann")).metric).toBeNull();
});
