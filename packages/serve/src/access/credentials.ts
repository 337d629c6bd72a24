// What a request shows at the door: `Authorization: Bearer …` or `X-API-Key: …`, never the query string, which ends up in logs,
// histories and referrers.
import type { IncomingHttpHeaders } from "node:http";
import { type ParsedKey, parseKey } from "./keys.ts";

export type Credential =
  | { readonly kind: "none" }
  | { readonly kind: "malformed" }
  | { readonly kind: "key"; readonly key: ParsedKey }
  | { readonly kind: "token"; readonly token: string };

const NONE: Credential = { kind: "none" };
const MALFORMED: Credential = { kind: "malformed" };
const BEARER = /^bearer +(\S+)$/i;

/** What was shown. Two that differ are as bad as none: which of them would count must not be a matter of luck. */
export function readCredential(headers: IncomingHttpHeaders): Credential {
  const { authorization } = headers;
  const apiKey = headers["x-api-key"];
  let shown: string | undefined;
  if (authorization !== undefined) {
    shown = BEARER.exec(authorization)?.[1];
    if (shown === undefined) return MALFORMED;
  }
  if (apiKey !== undefined) {
    if (typeof apiKey !== "string" || (shown !== undefined && shown !== apiKey)) return MALFORMED;
    shown = apiKey;
  }
  if (shown === undefined) return NONE;
  if (shown.startsWith("nt_")) return { kind: "token", token: shown };
  const key = parseKey(shown);
  return key === undefined ? MALFORMED : { kind: "key", key };
}
