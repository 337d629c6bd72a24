// --store: the store of a server, opened beside it. A command reads and writes a transaction at a time, and never keeps the server waiting for long.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { NearkinError } from "@nearkin/core";
import { shellWord } from "@nearkin/data";
import type { Store } from "@nearkin/serve/store";
import { type Command, InvalidArgumentError, Option } from "commander";

export interface StoreFlag {
  store: string;
}

/** Adds --store, which NEARKIN_STORE may stand for: an address may hold a password, and command lines are seen by others. */
export function withStoreFlag(command: Command, what: string): Command {
  return command.addOption(storeOption(what).makeOptionMandatory());
}

export function storeOption(what: string): Option {
  const option = new Option("--store <place>", `${what}: a file, or postgres://…`).argParser((text: string) => {
    if (text.trim() === "") throw new InvalidArgumentError("Expected a file or postgres://…, got nothing.");
    return text;
  });
  return process.env.NEARKIN_STORE ? option.env("NEARKIN_STORE") : option; // set but empty is not set
}

/** Opens a store beside its server. One that is not there is an error, unless it may be made. */
export async function openStoreBeside(place: string, { make = false }: { make?: boolean } = {}): Promise<Store> {
  const path = filePath(place);
  if (!make && path !== undefined && !existsSync(path)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `--store: there is no file ${path}; name the one that the server was started with`,
    );
  }
  const { openStore } = await import("@nearkin/serve/store"); // most commands do without a database
  return openStore(place, { exclusive: false, make });
}

/** As it may stand in a message: an address may hold a password. */
export function shownStore(place: string): string {
  return filePath(place) === undefined ? "…" : shellWord(place);
}

/** undefined for an address of PostgreSQL, and for what is no place at all, which the store refuses itself. */
function filePath(place: string): string | undefined {
  if (place.startsWith("file://")) return fileURLToPath(place);
  if (place.startsWith("file:")) return place.slice("file:".length);
  return /^(?:postgres(?:ql)?:|[a-z][a-z0-9+.-]+:\/\/)/i.test(place) ? undefined : place;
}
