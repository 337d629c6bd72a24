// What a key or a token says of itself. A token is signed, not hidden: whose it is, what it may do and until when can be read in it.

export type Caller =
  | { readonly kind: "nobody" }
  | { readonly kind: "key" }
  | {
      readonly kind: "token";
      /** The one user whose data it reaches. */
      readonly user: string;
      /** Milliseconds since 1970. */
      readonly expires: number;
    };

/** Who shows this; undefined where it is neither a key nor a token. */
export function callerOf(credential: string | undefined): Caller | undefined {
  if (credential === undefined) return { kind: "nobody" };
  if (!/^[\x21-\x7e]+$/.test(credential)) return undefined; // no header could carry it
  if (credential.startsWith("nk_")) return { kind: "key" };
  const [, payload] = /^nt_([\w-]+)\.[\w-]+$/.exec(credential) ?? [];
  return payload === undefined ? undefined : readClaims(payload);
}

function readClaims(payload: string): Caller | undefined {
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
      letter.charCodeAt(0),
    );
    const { user, exp } = JSON.parse(new TextDecoder().decode(bytes)) as { user?: unknown; exp?: unknown };
    return typeof user === "string" && typeof exp === "number" ? { kind: "token", user, expires: exp } : undefined;
  } catch {
    return undefined;
  }
}
