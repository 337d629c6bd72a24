import { expect, test } from "vitest";
import { forbidden, unauthenticated } from "./refused.ts";

test("nobody is told to sign in, and where keys come from", () => {
  expect(unauthenticated("Send a key as `Authorization: Bearer nk_…` or `X-API-Key: nk_…`.")).toMatchInlineSnapshot(`
    {
      "advice": "Sign in with an API key or a token. Whoever runs the server can make a key:",
      "command": "nearkin keys create --scopes read",
      "remedy": "sign in",
      "title": "This server asks who you are",
    }
  `);
});

test("who had a key is told that it is good no longer", () => {
  expect(unauthenticated("The key or token is not valid: it is mistyped, expired or revoked.").title).toBe(
    "The server does not know your key or token any more",
  );
});

test.each(["read", "events", "admin"])("a key without the scope %s is told which would do", (scope) => {
  const { title, advice, command, remedy } = forbidden(`This key does not have the scope "${scope}".`);
  expect([title, command, remedy]).toEqual([
    `This needs a key with the scope ${scope}`,
    `nearkin keys create --scopes ${scope}`,
    "sign in",
  ]);
  expect(advice).toContain("Your key does not have it.");
});

test("a token is told what it reaches", () => {
  expect(forbidden("Browser tokens do not reach this: use a key, from a server.").title).toBe("This needs a key");
  expect(forbidden("This token reaches the data of its own user only.").title).toBe("This is another user’s");
  expect(forbidden('This token does not have the scope "events".').advice).toContain("Your token does not have it.");
});

test("what no key would open has the server's own words", () => {
  const message = "Without keys this server answers only pages of its own.";
  expect(forbidden(message)).toEqual({ title: "The server does not allow this", advice: message, remedy: "none" });
});
