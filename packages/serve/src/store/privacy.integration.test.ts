// A deleted user is in none of the files of the store.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore, type Store } from "./store.ts";

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-privacy-"));
  store = await openStore(join(folder, "nearkin.db"));
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Files of the store that have one of these texts. */
const filesWith = (...texts: readonly string[]): string[] =>
  readdirSync(folder).flatMap((file) => {
    const bytes = readFileSync(join(folder, file));
    return texts.filter((text) => bytes.includes(text)).map((text) => `${file}: ${text}`);
  });

const SECRETS = ["margaret.hamilton", "a film for herself", "watched-in-secret", "her-recommendation"];
const [user, item, type, recommendation] = SECRETS;

/** Events of hers between those of others, so that pages of the tables are shared, split and joined. */
async function fill(from: number): Promise<void> {
  for (let n = from; n < from + 40; n++) {
    await store.events.add(
      Array.from({ length: 50 }, (_, i) =>
        i % 5 === 0
          ? { user, item: `${item} ${n}`, type, time: n * 50 + i }
          : { user: `user ${(i * 7919) % 97}`, item: `item ${i}`, type: "view", time: n * 50 + i },
      ),
    );
  }
  await store.feedback.add([{ recommendation, user, item, action: "clicked", model: "m" }]);
  await store.metrics.set({
    user,
    model: "m",
    weights: { plot: 1 },
    base: { plot: 1 },
    popularity: 0,
    offset: 0,
    source: "set",
    kept: null,
    items: 0,
    fit: null,
    events: 0,
  });
}

test("a deleted user is in no file of the store when the deletion is answered", async () => {
  await fill(0);
  expect(filesWith(...SECRETS)).not.toEqual([]);
  await store.deleteUser(user);
  expect(filesWith(...SECRETS)).toEqual([]);
});

test("nor is one of many who are deleted at once, while others write", async () => {
  await fill(100);
  const users = Array.from({ length: 97 }, (_, i) => `user ${i}`);
  await Promise.all([
    store.deleteUser(user),
    ...users.slice(0, 40).map((other) => store.deleteUser(other)),
    store.events.add([{ user: "user 96", item: "other", type: "view", time: 1 }]),
  ]);
  expect(filesWith(...SECRETS)).toEqual([]);
});
