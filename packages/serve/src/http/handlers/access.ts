// Keys of servers, and tokens for the browsers of users.
import { allows, isScope } from "../../access/scopes.ts";
import { ApiError } from "../api-error.ts";
import type { Handlers } from "../context.ts";

export const accessHandlers: Handlers<"createToken" | "listKeys" | "createKey" | "deleteKey"> = {
  createToken: async ({ tokens }, { body: { user, seconds, scopes }, caller }) => {
    if (caller.kind !== "key") {
      throw new ApiError("FORBIDDEN", "only a key can sign tokens; start the server with keys, and send one");
    }
    const beyond = scopes.filter((scope) => !allows(caller.scopes, scope));
    if (beyond.length > 0) {
      throw new ApiError("FORBIDDEN", `this key has not the scopes ${beyond.join(", ")}`, { field: "scopes" });
    }
    const { token, expires } = tokens.issue(
      { id: caller.key, scopes: caller.scopes },
      { user, scopes, lifeMs: seconds * 1000 },
    );
    return { token, user, scopes, expires };
  },

  listKeys: async ({ keys }) => ({
    keys: (await keys.list())
      .filter(({ revoked }) => revoked === null)
      .map(({ id, name, scopes, created, expires, lastUsed }) => ({
        id,
        name,
        scopes: scopes.filter(isScope),
        created,
        expires,
        used: lastUsed,
      })),
  }),

  createKey: async ({ keys }, { body: { name, scopes, expires }, caller }) => {
    if (caller.kind !== "key") {
      throw new ApiError(
        "FORBIDDEN",
        "without keys no key is made over HTTP: it would stay valid when keys are turned on; use nearkin keys create on the server's store",
      );
    }
    if (expires !== undefined && !(expires > Date.now())) {
      throw new ApiError(
        "BAD_REQUEST",
        "expires: expected a time to come; leave it out for a key that does not expire",
        {
          field: "expires",
        },
      );
    }
    const { key, record } = await keys.create({
      name,
      scopes,
      expires: expires === undefined ? null : Math.round(expires),
    });
    const { id, created } = record;
    return { id, name, scopes: record.scopes.filter(isScope), created, expires: record.expires, key };
  },

  deleteKey: async ({ keys }, { params }) => ({ deleted: (await keys.revoke(params.id)) ? 1 : 0 }),
};
