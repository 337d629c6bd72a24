import { expect, test } from "vitest";
import { isOurs } from "./share.ts";

const servers = ["3f1c", "9ab2", "c07d", "e554"].map((id) => ({ id }));
const users = Array.from({ length: 2000 }, (_, i) => `user ${i}`);
const ownersOf = (user: string, views: ReadonlyMap<string, readonly { id: string }[]>) =>
  [...views].filter(([id, alive]) =>
    isOurs(
      user,
      id,
      alive.filter((one) => one.id !== id),
    ),
  );

test("every user is one server's, and none has far more than its part", () => {
  const views = new Map(servers.map(({ id }) => [id, servers]));
  const counts = new Map<string, number>();
  for (const user of users) {
    const owners = ownersOf(user, views);
    expect(owners).toHaveLength(1);
    counts.set(owners[0][0], (counts.get(owners[0][0]) ?? 0) + 1);
  }
  for (const count of counts.values()) expect(count).toBeGreaterThan(400);
});

test("servers that do not agree on who is alive leave nobody out", () => {
  const [a, b, c, d] = servers;
  const views = new Map([
    [a.id, [a, b]],
    [b.id, [a, b, c]],
    [c.id, [c, d]],
    [d.id, [a, b, c, d]],
  ]);
  for (const user of users) expect(ownersOf(user, views).length).toBeGreaterThan(0);
});

test("alone, all are ours", () => {
  expect(users.every((user) => isOurs(user, "3f1c", []))).toBe(true);
});
