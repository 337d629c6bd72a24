// Keys of the API: nk_<id>_<secret>.
//
// The id is public: it finds the record, and logs and metrics may show it. The secret is 32 random bytes, and only its SHA-256 is kept. A
// slow hash (scrypt, Argon2) protects secrets that people choose, which can be guessed; 256 random bits cannot, however fast the hash,
// and a slow one would cost tens of milliseconds a request.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { NearkinError } from "@nearkin/core";
import { longerThan } from "../characters.ts";
import { isScope, type Scope, scopes } from "./scopes.ts";

/** A key as the store keeps it. Times are milliseconds since 1970. */
export interface KeyRecord {
  readonly id: string;
  /** What people call it: "shop backend". Not secret, not unique. */
  readonly name: string;
  /** SHA-256 of the secret's text. */
  readonly hash: Uint8Array;
  /** Those that this version knows count. */
  readonly scopes: readonly string[];
  readonly created: number;
  /** From then on the key is refused; null: never. */
  readonly expires: number | null;
  /** When it was revoked; null: it was not. */
  readonly revoked: number | null;
  /** When it was last used, to about a minute; null: never. */
  readonly lastUsed: number | null;
}

/** A key that is about to be kept. */
export type NewKey = Pick<KeyRecord, "id" | "name" | "hash" | "scopes" | "expires">;

/** Where keys are kept. */
export interface KeyStore {
  create(key: NewKey): Promise<KeyRecord>;
  get(id: string): Promise<KeyRecord | null>;
  /** The keys among these ids that exist, in any order. */
  getAll(ids: readonly string[]): Promise<readonly KeyRecord[]>;
  list(): Promise<readonly KeyRecord[]>;
  /** Marks a key as revoked; whether there was one to revoke. */
  revoke(id: string): Promise<boolean>;
  /** Notes when keys were used. */
  touch(uses: ReadonlyMap<string, number>): Promise<void>;
}

/** A key taken apart. It says nothing yet about whether the key is good. */
export interface ParsedKey {
  readonly id: string;
  readonly secret: string;
}

export interface NewKeyOptions {
  name: string;
  scopes: readonly Scope[];
  /** Milliseconds since 1970. @default null, never */
  expires?: number | null;
  /** @default Date.now() */
  now?: number;
}

const ID_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"; // 32 letters: five bits of a random byte each, none favoured
const ID_LENGTH = 12;
const SECRET_BYTES = 32;
const KEY = /^nk_([a-z2-7]{12})_([A-Za-z0-9_-]{43})$/;
const LONGEST_NAME = 200;
const NO_HASH = Buffer.alloc(32);

/** A new key: the text, which is shown once, and what to keep. */
export function newKey({ name, scopes: given, expires = null, now = Date.now() }: NewKeyOptions): {
  readonly key: string;
  readonly kept: NewKey;
} {
  if (name.length === 0 || longerThan(name, LONGEST_NAME)) {
    throw new NearkinError("BAD_ARGUMENT", `keys: a name has 1 to ${LONGEST_NAME} characters, got ${[...name].length}`);
  }
  if (given.length === 0 || !given.every(isScope)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `keys: scopes are one or more of ${scopes.join(", ")}, got [${given.join(", ")}]`,
    );
  }
  if (expires !== null && !(expires > now)) {
    throw new NearkinError("BAD_ARGUMENT", "keys: expires must lie ahead; leave it out for a key that does not expire");
  }
  const id = Array.from(randomBytes(ID_LENGTH), (byte) => ID_ALPHABET[byte & 31]).join("");
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  return {
    key: `nk_${id}_${secret}`,
    kept: { id, name, hash: hashSecret(secret), scopes: scopes.filter((scope) => given.includes(scope)), expires },
  };
}

/** Takes a key apart, or undefined where the text is none. */
export function parseKey(text: string): ParsedKey | undefined {
  const match = KEY.exec(text);
  return match === null ? undefined : { id: match[1], secret: match[2] };
}

/**
 * Tells if the secret is the record's, in time that depends on neither. Response times may still tell a known id, which is answered from memory, from an
 * unknown one, for which the store is asked: ids are not secret.
 */
export function secretMatches(secret: string, record: Pick<KeyRecord, "hash"> | null): boolean {
  const kept = record?.hash ?? NO_HASH;
  // the text is hashed, not the bytes it stands for: four texts of 43 characters stand for the same 32 bytes
  return kept.length === NO_HASH.length && timingSafeEqual(hashSecret(secret), kept) && record !== null;
}

function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret, "latin1").digest();
}

/** Whether a key may be used at that time. */
export function standing(record: Pick<KeyRecord, "expires" | "revoked">, now: number): "live" | "revoked" | "expired" {
  if (record.revoked !== null) return "revoked";
  return record.expires !== null && now >= record.expires ? "expired" : "live";
}
