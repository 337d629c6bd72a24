import { expect, test } from "vitest";
import { problemWith } from "./check-credential.ts";

const key = "nk_5cuqlgjz2yv7_B8Yyn6ImFe7E1fy77F0h2m07sCKq5XEjCqXnURq3d0M";
const answering =
  (status: number, headers = {}) =>
  async () =>
    new Response("{}", { status, headers });
const silent = async () => {
  throw new TypeError("failed to fetch");
};
const token = (exp: number) =>
  `nt_${Buffer.from(JSON.stringify({ user: "ann", exp })).toString("base64url")}.${"A".repeat(43)}`;

test.each([
  [200, undefined],
  [403, undefined], // known, and may do something else
  [503, undefined],
  [401, "The server does not know it: it is mistyped, expired or revoked."],
  [429, "The server takes no more tries for now. Wait 60 seconds."],
])("an answer of %d: %s", async (status, expected) => {
  expect(await problemWith(key, answering(status))).toBe(expected);
});

test("how long to wait is the server's to say", async () => {
  expect(await problemWith(key, answering(429, { "retry-after": "5" }))).toContain("Wait 5 seconds");
});

test("no server is no reason to keep it", async () => {
  expect(await problemWith(key, silent)).toBe("The server cannot be reached. Try again.");
});

test("what can be seen without the server is not sent to it", async () => {
  expect(await problemWith("hunter2", silent)).toBe("This is neither. Keys begin with nk_, tokens with nt_.");
  expect(await problemWith(token(Date.now() - 1), silent)).toBe("This token has expired. Ask for a new one.");
  expect(await problemWith(token(Date.now() + 60_000), answering(200))).toBeUndefined();
});
