import { deletedKeyAnswer, keyAnswer, keyBody, keysAnswer, tokenAnswer, tokenBody } from "../access.ts";
import { text } from "../ids.ts";
import { route } from "../route.ts";
import { strict } from "../strict.ts";

const created = Date.UTC(2026, 2, 1);
const key = { id: "k_7Qm2", name: "shop backend", scopes: ["read", "events"], created, expires: null };

export const accessRoutes = {
  createToken: route({
    method: "POST",
    path: "/v1/tokens",
    scope: "events",
    tokens: false,
    idempotent: true,
    tag: "access",
    summary: "Sign a token for one user",
    description:
      "For a page: it may ask for, and send events of, this user alone, until it expires. Any key with the scope events may sign one, with no more scopes than it has itself. " +
      "Nothing is stored; a token ends when it expires, or when its key is revoked, so keep it short.",
    body: tokenBody,
    response: tokenAnswer,
    errors: [],
    examples: [
      {
        summary: "For a quarter of an hour",
        body: { user: "u0001" },
        response: {
          token: "nt_eyJ1IjoidTAwMDEifQ.c2ln",
          user: "u0001",
          scopes: ["read", "events"],
          expires: created + 900_000,
        },
      },
    ],
  }),

  listKeys: route({
    method: "GET",
    path: "/v1/keys",
    scope: "admin",
    tokens: false,
    idempotent: true,
    tag: "access",
    summary: "Keys",
    description: "All keys, without their secrets.",
    response: keysAnswer,
    errors: ["STORE_UNAVAILABLE"],
    examples: [{ summary: "One key", response: { keys: [{ ...key, used: null }] } }],
  }),

  createKey: route({
    method: "POST",
    path: "/v1/keys",
    scope: "admin",
    tokens: false,
    idempotent: false,
    tag: "access",
    summary: "Make a key",
    description:
      "The key is in the answer, this once; only its hash is stored. A server without keys makes none this way: use `nearkin keys create`.",
    body: keyBody,
    response: keyAnswer,
    errors: ["STORE_UNAVAILABLE"],
    examples: [
      {
        summary: "For a backend",
        body: { name: key.name, scopes: key.scopes },
        response: { ...key, key: "nk_7Qm2_0Zk3v9" },
      },
    ],
  }),

  deleteKey: route({
    method: "DELETE",
    path: "/v1/keys/{id}",
    scope: "admin",
    tokens: false,
    idempotent: true,
    tag: "access",
    summary: "Revoke a key",
    description: "It opens nothing any more when the answer comes. One that is not there is no error.",
    params: strict({ id: text(128).describe("The key's id, not the key.") }),
    response: deletedKeyAnswer,
    errors: ["STORE_UNAVAILABLE"],
    examples: [{ summary: "Revoked", params: { id: key.id }, response: { deleted: 1 } }],
  }),
} as const;
