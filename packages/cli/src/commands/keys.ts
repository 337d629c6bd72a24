// nearkin keys: who may ask a server.
import { NearkinError } from "@nearkin/core";
import { Command, InvalidArgumentError } from "commander";
import type { Output } from "../output.ts";

const SCOPES = ["read", "events", "admin"] as const;
type Scope = (typeof SCOPES)[number];

interface StoreFlag {
  store: string;
}

interface CreateFlags extends StoreFlag {
  name: string;
  scopes: Scope[];
  expires?: number;
}

export function keysCommand(output: Output): Command {
  const withStore = (command: Command) =>
    command.option("--store <place>", "the store of the server: a file, or postgres://…", "nearkin.db");
  const command = new Command("keys").description("make, list and revoke keys to a server").addHelpText(
    "after",
    `
A key is shown once, when it is made; the store keeps a hash of it. A server that runs on the store knows it at once.

Examples:
  $ nearkin keys create --name "shop backend" --scopes read,events
  $ nearkin keys list
  $ nearkin keys revoke k3x7…`,
  );
  command.addCommand(
    withStore(new Command("create").description("make a key"))
      .option("--name <text>", "what it is for", "made by nearkin keys")
      .requiredOption(
        "--scopes <list>",
        `what it may do, of ${SCOPES.join(", ")}; admin may do everything`,
        parseScopes,
      )
      .option("--expires <date>", "when it ends, such as 2027-01-31 (default: never)", parseDate)
      .addHelpText(
        "after",
        `
read answers questions, events stores what users do and signs tokens for their browsers, admin changes items, models and keys.

Examples:
  $ nearkin keys create --name "shop backend" --scopes read,events
  $ nearkin keys create --scopes admin --store postgres://db/films --expires 2027-01-31`,
      )
      .action((flags: CreateFlags) => create(flags, output)),
  );
  command.addCommand(
    withStore(new Command("list").description("list keys, without their secrets")).action((flags: StoreFlag) =>
      list(flags, output),
    ),
  );
  command.addCommand(
    withStore(
      new Command("revoke").description("revoke a key, and every token it has signed").argument("<id>", "its id"),
    ).action((id: string, flags: StoreFlag) => revoke(id, flags, output)),
  );
  return command;
}

async function create({ store, name, scopes, expires }: CreateFlags, output: Output): Promise<void> {
  const { openKeys } = await import("@nearkin/serve/store");
  await using keys = await openKeys(store);
  const { key, record } = await keys.ring.create({ name, scopes, expires: expires ?? null });
  output.log(`key ${record.id} (${record.scopes.join(", ")}); it is shown this once:\n`);
  output.write(`${key}\n`);
}

async function list({ store }: StoreFlag, output: Output): Promise<void> {
  const { openKeys } = await import("@nearkin/serve/store");
  await using keys = await openKeys(store);
  const found = await keys.ring.list();
  const date = (time: number | null) =>
    time === null ? "never" : new Date(time).toISOString().slice(0, 16).replace("T", " ");
  for (const { id, name, scopes, created, expires, revoked, lastUsed } of found) {
    const state = revoked === null ? `expires ${date(expires)}, used ${date(lastUsed)}` : `revoked ${date(revoked)}`;
    output.write(`${id}  ${scopes.join(",").padEnd(18)} made ${date(created)}, ${state}  ${name}\n`);
  }
  if (found.length === 0) output.log(`there are no keys in ${store}; make one: nearkin keys create --scopes read\n`);
}

async function revoke(id: string, { store }: StoreFlag, output: Output): Promise<void> {
  const { openKeys } = await import("@nearkin/serve/store");
  await using keys = await openKeys(store);
  if (!(await keys.ring.revoke(id))) {
    throw new NearkinError("BAD_ARGUMENT", `there is no key ${id} to revoke in ${store}; see: nearkin keys list`);
  }
  output.log(`key ${id} is revoked; servers on ${store} refuse it within seconds\n`);
}

function parseScopes(text: string): Scope[] {
  const names = text.split(",").map((part) => part.trim());
  if (names.length > 0 && names.every((name) => SCOPES.includes(name as Scope))) return names as Scope[];
  throw new InvalidArgumentError(`Expected some of ${SCOPES.join(", ")}, such as read,events.`);
}

function parseDate(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError("Expected a date such as 2027-01-31.");
  return time;
}
