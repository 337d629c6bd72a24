import { expect, test } from "vitest";
import { callerOf } from "./credential.ts";

/** As the server makes them. */
const token = (claims: unknown) => `nt_${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${"A".repeat(43)}`;

test("nobody, a key, or the token of one user", () => {
  expect(callerOf(undefined)).toEqual({ kind: "nobody" });
  expect(callerOf("nk_5cuqlgjz2yv7_B8Yyn6ImFe7E1fy77F0h2m07sCKq5XEjCqXnURq3d0M")).toEqual({ kind: "key" });
  expect(callerOf(token({ user: "Zoë ?>~", iat: 1, exp: 2000, scopes: ["read"], key: "k" }))).toEqual({
    kind: "token",
    user: "Zoë ?>~",
    expires: 2000,
  });
});

test.each(["", "secret", "nk_with a space", "nk_“quoted”", "nt_", "nt_AAAA.BBBB", token({ user: 7 }), token(null)])(
  "%j is neither",
  (given) => {
    expect(callerOf(given)).toBeUndefined();
  },
);
