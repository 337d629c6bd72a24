// The signing secret of a store. One secret signs; those that it replaced are accepted until their grace ends.
//
// Tokens and lists are signed with keys derived from it (HKDF), so that a signature of one kind never passes for the other. The secret itself, which
// signed both in versions before, is accepted as well; nothing is signed with it.
import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import { NearkinError } from "@nearkin/core";
import type { AcceptedSecret, SecretStore } from "../store/keys.ts";

const NAME = "signing";
const SECRET_BYTES = 32;
const PURPOSES = ["tokens", "lists"] as const;

export type Purpose = (typeof PURPOSES)[number];

/** Makes a new secret. Servers accept the one before for `graceMs`; 0: neither it nor any before it. */
export async function rotateSigningSecret(secrets: SecretStore, graceMs: number): Promise<void> {
  if (!(graceMs >= 0 && Number.isSafeInteger(graceMs))) {
    throw new NearkinError("BAD_ARGUMENT", `rotate-secret: the grace is a number of ms from 0 on, got ${graceMs}`);
  }
  await secrets.rotate(NAME, randomBytes(SECRET_BYTES), graceMs);
}

export class SigningSecrets {
  readonly #store: SecretStore;
  readonly #now: () => number;
  #accepted: readonly AcceptedSecret[] = [];
  #keys = new Map<Purpose, readonly KeyObject[]>();
  /** When the next of them ends. */
  #end = Number.POSITIVE_INFINITY;

  private constructor(store: SecretStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Reads the secrets of the store, which gets one if it has none. */
  static async open(store: SecretStore, now: () => number = Date.now): Promise<SigningSecrets> {
    await store.getOrCreate(NAME, randomBytes(SECRET_BYTES));
    const secrets = new SigningSecrets(store, now);
    await secrets.reload();
    return secrets;
  }

  /** Reads them again: another process may have replaced one. */
  async reload(): Promise<void> {
    this.#derive(await this.#store.accepted(NAME));
  }

  /** Keys for a purpose: the first signs, all are accepted. */
  of(purpose: Purpose): readonly KeyObject[] {
    if (this.#now() >= this.#end) this.#derive(this.#accepted);
    return this.#keys.get(purpose) as readonly KeyObject[];
  }

  #derive(accepted: readonly AcceptedSecret[]): void {
    const now = this.#now();
    this.#accepted = accepted.filter(({ until }) => until === null || now < until);
    this.#end = Math.min(...this.#accepted.map(({ until }) => until ?? Number.POSITIVE_INFINITY));
    const values = this.#accepted.map(({ value }) => value);
    const derived = (purpose: Purpose) =>
      values.map((value) =>
        createSecretKey(new Uint8Array(hkdfSync("sha256", value, "", `nearkin ${purpose}`, SECRET_BYTES))),
      );
    const itself = values.map((value) => createSecretKey(value));
    this.#keys = new Map(PURPOSES.map((purpose) => [purpose, [...derived(purpose), ...itself]]));
  }
}
