// What a route asks for, and what a key or a token is given.

/**
 * `read` answers questions, `events` reports what users did, `admin` changes catalogue, models and keys.
 *
 * `admin` implies the other two. `events` does not imply `read`: a page that only reports clicks must not be able to read anybody's
 * profile back; and `read` does not imply `events`, as whoever may look must not be able to shape what others see.
 */
export const scopes = ["read", "events", "admin"] as const;

export type Scope = (typeof scopes)[number];

/** What a browser's token may be given: never `admin`. */
export const tokenScopes = ["read", "events"] as const;

export type TokenScope = (typeof tokenScopes)[number];

/** A route's scope: `public` asks for nothing. */
export type RouteScope = "public" | Scope;

/**
 * Whether whoever holds `held` reaches what asks for `wanted`.
 *
 * @example
 * allows(["admin"], "events") // => true
 * allows(["events"], "read") // => false
 */
export function allows(held: readonly string[], wanted: Scope): boolean {
  return held.includes(wanted) || held.includes("admin");
}

export function isScope(text: unknown): text is Scope {
  return scopes.includes(text as Scope);
}

export function isTokenScope(text: unknown): text is TokenScope {
  return tokenScopes.includes(text as TokenScope);
}
