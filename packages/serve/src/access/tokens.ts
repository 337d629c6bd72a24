// Tokens that a browser may hold: nt_<payload>.<mac>, good for one user and some minutes.
//
// A shop's backend, which holds a key, asks for one and hands it to the page. The mac (HMAC-SHA256) is over the text before the dot, not
// over what it decodes to, and is compared as text: so there is exactly one spelling of every token, and no changed bit passes.
// The payload is signed, not hidden: whoever holds the token can read the user's id in it.
import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { NearkinError } from "@nearkin/core";
import { longerThan } from "../characters.ts";
import type { KeyRing, KeyVerdict } from "./key-ring.ts";
import { allows, isTokenScope, type TokenScope, tokenScopes } from "./scopes.ts";

/** What a token says. Times are milliseconds since 1970. */
export interface TokenClaims {
  readonly user: string;
  readonly iat: number;
  readonly exp: number;
  readonly scopes: readonly TokenScope[];
  /** Id of the key that asked for it: when the key goes, so does the token. */
  readonly key: string;
}

const TOKEN = /^(nt_[A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/;
const LONGEST_TOKEN = 8192; // characters; 512 of the longest kind, escaped, make 4.2 thousand
const LONGEST_USER = 512;

type Secret = Uint8Array | KeyObject;

/** The token of these claims. */
export function signToken(claims: TokenClaims, secret: Secret): string {
  const { user, iat, exp, scopes, key } = claims;
  const payload = Buffer.from(JSON.stringify({ user, iat, exp, scopes, key })).toString("base64url");
  const head = `nt_${payload}`;
  return `${head}.${mac(head, secret)}`;
}

/** What the token says, or undefined where one of the secrets did not sign it. Times and the key are not looked at. */
export function readToken(token: string, secrets: readonly Secret[]): TokenClaims | undefined {
  const match = token.length <= LONGEST_TOKEN ? TOKEN.exec(token) : null;
  if (match === null) return undefined;
  const [, head, given] = match;
  if (!secrets.some((secret) => timingSafeEqual(Buffer.from(given), Buffer.from(mac(head, secret))))) return undefined;
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(head.slice("nt_".length), "base64url").toString());
  } catch {
    return undefined;
  }
  return isClaims(claims) ? claims : undefined;
}

function mac(head: string, secret: Secret): string {
  return createHmac("sha256", secret).update(head, "latin1").digest("base64url");
}

/** Signed by us or by another version of us: the shape is looked at all the same. */
function isClaims(value: unknown): value is TokenClaims {
  if (typeof value !== "object" || value === null) return false;
  const { user, iat, exp, scopes, key } = value as Record<string, unknown>;
  return (
    typeof user === "string" &&
    user.length > 0 &&
    Number.isFinite(iat) &&
    Number.isFinite(exp) &&
    Array.isArray(scopes) &&
    scopes.every(isTokenScope) &&
    typeof key === "string"
  );
}

export interface BrowserTokensOptions {
  /** The first signs; all verify, so that a secret can be replaced without cutting anyone off. */
  secrets: () => readonly Secret[];
  /** Life of a token for which none is asked, in ms. @default 15 minutes */
  lifeMs?: number;
  /** Longest life that may be asked for, in ms. @default 24 hours */
  longestLifeMs?: number;
  /** Time in ms that a token is accepted beyond its end, since clocks of several servers differ. @default 5000 */
  skewMs?: number;
  /** Milliseconds since 1970. @default Date.now */
  now?: () => number;
}

export interface TokenRequest {
  /** The one user whose data the token reaches. */
  user: string;
  /** @default those of read and events that the key itself holds */
  scopes?: readonly TokenScope[];
  /** @default `lifeMs` of the options */
  lifeMs?: number;
}

export type TokenVerdict =
  | { readonly claims: TokenClaims }
  | { readonly failure: "bad token" | "expired" | Extract<KeyVerdict, { failure: string }>["failure"] };

/** Issues tokens in the name of keys, and tells good ones from bad. */
export class BrowserTokens {
  readonly #ring: KeyRing;
  readonly #options: Required<BrowserTokensOptions>;

  constructor(
    ring: KeyRing,
    {
      secrets,
      lifeMs = 15 * 60_000,
      longestLifeMs = 24 * 3600_000,
      skewMs = 5000,
      now = Date.now,
    }: BrowserTokensOptions,
  ) {
    this.#ring = ring;
    this.#options = { secrets, lifeMs: Math.min(lifeMs, longestLifeMs), longestLifeMs, skewMs, now };
  }

  /** A token for one user, with no more than the key itself may do. */
  issue(
    key: { readonly id: string; readonly scopes: readonly string[] },
    { user, scopes, lifeMs = this.#options.lifeMs }: TokenRequest,
  ): { readonly token: string; readonly expires: number; readonly scopes: readonly TokenScope[] } {
    const { longestLifeMs, now, secrets } = this.#options;
    if (user.length === 0 || longerThan(user, LONGEST_USER) || user.includes("\0")) {
      throw new NearkinError("BAD_ARGUMENT", `tokens: user has 1 to ${LONGEST_USER} characters and no NUL`);
    }
    if (!(lifeMs > 0 && lifeMs <= longestLifeMs)) {
      throw new NearkinError("BAD_ARGUMENT", `tokens: a token lives for up to ${longestLifeMs} ms, got ${lifeMs}`);
    }
    const wanted = scopes ?? tokenScopes.filter((scope) => allows(key.scopes, scope));
    const beyond = wanted.find((scope) => !isTokenScope(scope) || !allows(key.scopes, scope));
    if (wanted.length === 0 || beyond !== undefined) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `tokens: scopes are one or more of ${tokenScopes.join(", ")} that the key itself holds, got [${wanted.join(", ")}]`,
      );
    }
    const iat = now();
    const claims: TokenClaims = { user, iat, exp: iat + lifeMs, scopes: wanted, key: key.id };
    return { token: signToken(claims, secrets()[0]), expires: claims.exp, scopes: wanted };
  }

  /** Whether the token is ours, in time, and its key still good. Forgeries never reach the store. */
  async verify(token: string): Promise<TokenVerdict> {
    const { secrets, skewMs, longestLifeMs, now } = this.#options;
    const claims = readToken(token, secrets());
    if (claims === undefined) return { failure: "bad token" };
    const time = now();
    if (time < claims.iat - longestLifeMs) return { failure: "bad token" }; // less is a clock that was put back
    if (time >= claims.exp + skewMs) return { failure: "expired" };
    const verdict = await this.#ring.verifyNamed(claims.key);
    if ("failure" in verdict) return verdict;
    // scopes of a key may be narrowed in the store; its tokens follow
    const scopes = claims.scopes.filter((scope) => allows(verdict.record.scopes, scope));
    return { claims: { ...claims, scopes } };
  }
}
