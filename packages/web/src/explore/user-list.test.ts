import { afterEach, expect, test, vi } from "vitest";
import { signIn, signOut } from "../api/session.ts";
import { listUsers } from "./user-list.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  signOut();
});

const answers = (...all: readonly (() => Response)[]) => {
  const left = [...all];
  vi.stubGlobal("fetch", async () => (left.shift() as () => Response)());
  return left;
};
const error = (status: number, code: string, message: string) => () =>
  Response.json({ error: { code, message } }, { status });

test("who may not see the users is not told that the server is gone, and is not asked again", async () => {
  signIn("nk_read");
  const left = answers(error(403, "FORBIDDEN", 'This key does not have the scope "admin"'));
  expect(await listUsers()).toBeUndefined();
  expect(await listUsers()).toBeUndefined();
  expect(left).toEqual([]);
});

test("a server that could not answer is asked again", async () => {
  signIn("nk_admin");
  answers(error(400, "BAD_REQUEST", "not now"), () => Response.json({ users: [{ id: "ann" }], next: null }));
  await expect(listUsers()).rejects.toMatchObject({ code: "BAD_REQUEST" });
  expect(await listUsers()).toMatchObject({ users: [{ id: "ann" }] });
});
