import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  authorizedFetch,
  keyWanted,
  sessionNumber,
  signedIn,
  signIn,
  signInAsked,
  signOut,
  tokenUser,
} from "./session.ts";

const sent: (string | null)[] = [];
let status = 200;

beforeEach(() => {
  sent.length = 0;
  status = 200;
  vi.stubGlobal("fetch", async (_: unknown, { headers }: RequestInit) => {
    sent.push(new Headers(headers).get("authorization"));
    return new Response('{"error":{"code":"UNAUTHENTICATED","message":"no"}}', { status });
  });
});

afterEach(() => {
  signOut();
  signInAsked.value = false;
  vi.unstubAllGlobals();
});

test("requests carry what was given at sign-in, until one signs out", async () => {
  await authorizedFetch("/v1/items");
  const before = sessionNumber.value;
  signIn("  nk_a ");
  expect([signedIn.value, sessionNumber.value]).toEqual([true, before + 1]);
  await authorizedFetch("/v1/items");
  signOut();
  await authorizedFetch("/v1/items");
  expect(sent).toEqual([null, "Bearer nk_a", null]);
});

test("a server that asks for a key is asked once; then it is up to whoever looks at the page", async () => {
  status = 401;
  expect((await authorizedFetch("/v1/models")).status).toBe(401);
  expect([signInAsked.value, keyWanted.value]).toEqual([true, true]);
  signInAsked.value = false; // put off
  const again = await authorizedFetch("/v1/items");
  expect([again.status, (await again.json()).error.code]).toEqual([401, "UNAUTHENTICATED"]);
  expect([sent.length, signInAsked.value]).toEqual([1, false]);
  status = 200;
  signIn("nk_a");
  expect((await authorizedFetch("/v1/items")).status).toBe(200);
  expect([sent.length, keyWanted.value]).toEqual([2, false]);
});

test("of two requests that are refused together, the later answer does not reopen a dialog that was dismissed", async () => {
  const answers: (() => void)[] = [];
  vi.stubGlobal(
    "fetch",
    () => new Promise((resolve) => answers.push(() => resolve(new Response("no", { status: 401 })))),
  );
  const [first, second] = [authorizedFetch("/v1/models"), authorizedFetch("/v1/evaluations")];
  answers[0]();
  await first;
  expect(signInAsked.value).toBe(true);
  signInAsked.value = false; // dismissed
  answers[1]();
  await second;
  expect([signInAsked.value, keyWanted.value]).toEqual([false, true]);
});

test("an answer to the key before says nothing of the next one", async () => {
  signIn("nk_old");
  status = 401;
  const late = authorizedFetch("/v1/items");
  signIn("nk_new");
  await late;
  expect(keyWanted.value).toBe(false);
});

test("a token tells whose it is", () => {
  signIn(`nt_${Buffer.from('{"user":"ann","exp":1}').toString("base64url")}.AAAA`);
  expect(tokenUser.value).toBe("ann");
  signIn("nk_a");
  expect(tokenUser.value).toBeUndefined();
});
