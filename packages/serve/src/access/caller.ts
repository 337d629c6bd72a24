// Who is asking, and what a route says about itself. Both live in Fastify's own types, so that routes and hooks meet there.
import type { FastifyRequest } from "fastify";
import type { RouteScope, Scope } from "./scopes.ts";

/** Whoever made a request. */
export type Caller =
  /** Nobody has asked yet, or the route asks nobody. */
  | { readonly kind: "anonymous" }
  /** Someone on this machine, while there are no keys. */
  | { readonly kind: "local" }
  | { readonly kind: "key"; readonly key: string; readonly scopes: readonly Scope[] }
  /** A browser with a token: one user's, signed in the name of a key. */
  | { readonly kind: "token"; readonly key: string; readonly user: string; readonly scopes: readonly Scope[] };

/** What every route says about itself in its `config`. */
interface RouteAccess {
  /** Short and stable: it labels metrics. */
  name: string;
  scope: RouteScope;
  /**
   * Whose data the request touches, read from what the handler will read: it runs after validation. undefined or empty: nobody's, or
   * the token's own. Answers of such a route are never cached, unless it is `nobodys`.
   */
  user?: (request: FastifyRequest) => string | readonly (string | undefined)[] | undefined;
  /** Whether a browser's token may be used here. Needs `user`. */
  tokens: boolean;
}

/** `user` of a route that touches nobody's data. */
export const nobodys = (): undefined => undefined;

declare module "fastify" {
  interface FastifyContextConfig extends Partial<RouteAccess> {}
  interface FastifyRequest {
    caller: Caller;
  }
}

/** The key in whose name the request was made: not secret, so logs may show it. */
export function keyOf(caller: Caller): string | undefined {
  return caller.kind === "key" || caller.kind === "token" ? caller.key : undefined;
}
