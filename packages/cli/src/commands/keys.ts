// nearkin keys: who may ask a server.
import { NearkinError } from "@nearkin/core";
import { Command, InvalidArgumentError, Option } from "commander";
import type { Output } from "../output.ts";
import { openStoreBeside, type StoreFlag, storeOption } from "../store-flag.ts";

const SCOPES = ["read", "events", "admin"] as const;
const LONGEST_TOKEN_HOURS = 24;
const MOST_GRACE_HOURS = 8760;
type Scope = (typeof SCOPES)[number];

interface RotateFlags extends StoreFlag {
  grace: number;
  drop?: boolean;
}

interface CreateFlags extends StoreFlag {
  name: string;
  scopes: Scope[];
  expires?: number;
}

export function keysCommand(output: Output): Command {
  const withStore = (command: Command) =>
    command.addOption(storeOption("the store of the server").default("nearkin.db"));
  const command = new Command("keys")
    .description("make, list and revoke keys to a server, and replace its secret")
    .addHelpText(
      "after",
      `
A key is shown once, when it is made; the store keeps a hash of it. A server that runs on the store knows it at once.

Examples:
  $ nearkin keys create --name "shop backend" --scopes read,events
  $ nearkin keys list
  $ nearkin keys revoke k3x7…
  $ nearkin keys rotate-secret`,
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
  command.addCommand(
    withStore(new Command("rotate-secret").description("replace the secret that tokens of browsers are signed with"))
      .addOption(
        new Option("--grace <hours>", "how long what the old one signed is accepted still")
          .argParser(parseHours)
          .default(LONGEST_TOKEN_HOURS),
      )
      .option("--drop", "accept nothing that an old one signed from now on, such as after a copy of the store was lost")
      .addHelpText(
        "after",
        `
Servers on the store follow within seconds, without a restart. Tokens live for a day at most, so that by default none ends early; ids of lists,
which feedback names, end with the secret that signed them. Keys are not touched.

Examples:
  $ nearkin keys rotate-secret                                       as a routine
  $ nearkin keys rotate-secret --drop --store postgres://db/films    somebody may have read the old one`,
      )
      .action((flags: RotateFlags) => rotateSecret(flags, output)),
  );
  return command;
}

async function create({ store, name, scopes, expires }: CreateFlags, output: Output): Promise<void> {
  await using opened = await openStoreBeside(store, { make: true });
  const { KeyRing } = await import("@nearkin/serve/store");
  const { key, record } = await new KeyRing(opened.keys).create({ name, scopes, expires: expires ?? null });
  output.log(`key ${record.id} (${record.scopes.join(", ")}); it is shown this once:\n`);
  output.write(`${key}\n`);
}

async function list({ store }: StoreFlag, output: Output): Promise<void> {
  await using opened = await openStoreBeside(store);
  const found = await opened.keys.list();
  const date = (time: number | null) =>
    time === null ? "never" : new Date(time).toISOString().slice(0, 16).replace("T", " ");
  for (const { id, name, scopes, created, expires, revoked, lastUsed } of found) {
    const state = revoked === null ? `expires ${date(expires)}, used ${date(lastUsed)}` : `revoked ${date(revoked)}`;
    output.write(`${id}  ${scopes.join(",").padEnd(18)} made ${date(created)}, ${state}  ${name}\n`);
  }
  if (found.length > 0) return;
  output.log(`there are no keys in ${opened.place}; make one: nearkin keys create --scopes read\n`);
}

async function revoke(id: string, { store }: StoreFlag, output: Output): Promise<void> {
  await using opened = await openStoreBeside(store);
  if (!(await opened.keys.revoke(id))) {
    throw new NearkinError("BAD_ARGUMENT", `${opened.place} has no key ${id} to revoke; see: nearkin keys list`);
  }
  output.log(`key ${id} is revoked; servers on ${opened.place} refuse it within seconds\n`);
}

async function rotateSecret({ store, grace, drop }: RotateFlags, output: Output): Promise<void> {
  await using opened = await openStoreBeside(store);
  const { rotateSigningSecret } = await import("@nearkin/serve/store");
  const hours = drop ? 0 : grace;
  await rotateSigningSecret(opened.secrets, Math.round(hours * 3600_000));
  const old = hours > 0 ? `tokens of the old one are accepted for ${hours} h` : "all tokens of old ones are refused";
  output.log(`${opened.place} has a new secret; within seconds servers sign with it, and ${old}\n`);
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (text.trim() !== "" && hours >= 0 && hours <= MOST_GRACE_HOURS) return hours;
  throw new InvalidArgumentError(`Expected hours from 0 to ${MOST_GRACE_HOURS}, such as 24.`);
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
