// nearkin serve: similar items over HTTP, for each user, with reasons.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { NearkinError } from "@nearkin/core";
import { describeProblems, openDataset } from "@nearkin/data";
import { Command, InvalidArgumentError, Option } from "commander";
import { wholeNumber } from "../engine.ts";
import { importDataset } from "../import-dataset.ts";
import type { Output } from "../output.ts";
import { findPage } from "../page-folder.ts";
import { liveLine } from "../progress.ts";
import { shownStore, storeOption } from "../store-flag.ts";
import { readConfigFile } from "../training-config.ts";

interface ServeFlags {
  host?: string;
  port?: number;
  store?: string;
  keys?: "auto" | "on" | "off";
  config?: string;
  import?: string;
  threads?: number;
  origin?: string[];
  name?: string[];
  open?: (typeof OPEN)[number][];
  /** false: --no-page. */
  page: boolean;
  results?: string;
  log?: "silent" | "error" | "warn" | "info" | "debug";
}

const OPEN = ["readyz", "metrics", "docs", "reports"] as const;

export function serveCommand(output: Output): Command {
  return new Command("serve")
    .description(
      "serve similar items over HTTP: for each user, with reasons, also for items that are put while it runs",
    )
    .argument(
      "<models...>",
      "model folders, or folders that hold some; the one that was active last answers, else the first",
    )
    .option("--host <address>", "address to listen on; beyond localhost, keys are asked for (default: 127.0.0.1)")
    .option("--port <n>", "port to listen on, 0 for any that is free (default: 7410)", wholeNumber(0))
    .addOption(storeOption("users, events and items, by default in nearkin.db"))
    .addOption(
      new Option("--keys <when>", "whether requests must show a key (default: auto, beyond localhost)").choices([
        "auto",
        "on",
        "off",
      ]),
    )
    .option("--import <dataset>", "first bring the histories of a dataset folder into the store; again does nothing")
    .option(
      "--results <folder>",
      "what nearkin evaluate and nearkin report wrote (default: results beside a model folder)",
    )
    .option("--no-page", "leave out the page of @nearkin/web")
    .option("--threads <n>", "threads that scan (default: the cores there are, at most 8)", wholeNumber(1))
    .option("--origin <url>", "a page's origin that may call from a browser; may be given again", collect)
    .option("--name <host>", "a further name the server is called by without keys; may be given again", collect)
    .option("--open <list>", `what needs no key, of ${OPEN.join(", ")}`, parseOpen)
    .addOption(
      new Option("--log <level>", "lines of log from this level on (default: info)").choices([
        "silent",
        "error",
        "warn",
        "info",
        "debug",
      ]),
    )
    .option("--config <file>", "a nearkin.yaml with a section serve:; flags go before it")
    .addHelpText(
      "after",
      `
The log goes to standard output, a JSON object a line, without ids of users or items. SIGTERM and Ctrl-C drain: requests under way are answered,
then all is closed; a second one ends at once. Everything that can be set is in docs/operations.md, every route in docs/api.md and at /docs.

Examples:
  $ nearkin serve models/films                                     on this machine alone, no keys
  $ curl localhost:7410/v1/items/tt0111161/similar?k=5
  $ nearkin serve models --host 0.0.0.0 --store postgres://db/films   for others: make a key first, with nearkin keys create;
                                                                   the database must be there, its password in PGPASSWORD. Any number
                                                                   of servers may share it: docs/operations.md, "Many servers"
  $ nearkin serve models/films --import datasets/films             users of the dataset are known from the start
  $ nearkin serve models/films --results results                   evaluations and reports, for the page
  $ nearkin serve models/films --config nearkin.yaml --log warn`,
    )
    .action((models: string[], flags: ServeFlags) => runServe(models, flags, output));
}

async function runServe(
  models: string[],
  { config: file, import: dataset, page: withPage, ...flags }: ServeFlags,
  output: Output,
): Promise<void> {
  const { createServer, keepHeapSmall, onSignals, serveConfigSchema } = await import("@nearkin/serve"); // not before it is asked for
  const { origin, name, ...rest } = flags;
  const section = file === undefined ? {} : (readConfigFile(file).serve ?? {});
  const given = { ...rest, ...(origin ? { origins: origin } : {}), ...(name ? { names: name } : {}) };
  const parsed = serveConfigSchema.safeParse({ ...(section as object), ...given });
  if (!parsed.success) {
    const where = file === undefined ? "serve" : `${file}: serve`;
    throw new NearkinError("BAD_CONFIG", `${where}: ${describeProblems(parsed.error, serveConfigSchema).join("; ")}`);
  }
  const results = parsed.data.results ?? resultsBeside(models[0]);
  const { page, line } = await pageOf(withPage, parsed.data.page);
  keepHeapSmall();
  await using server = await createServer({ ...parsed.data, models, page, results }); // also where it cannot listen: it is a live replica by now
  let end = () => {};
  const stopped = new Promise<void>((resolve) => {
    end = resolve;
  });
  const off = onSignals(async () => {
    await server.close();
    end();
  });
  try {
    if (dataset !== undefined) await bringIn(dataset, server, output);
    const address = await server.listen().catch((cause) => {
      if (cause?.code !== "EADDRINUSE") throw cause;
      const { host, port } = server.config;
      throw new NearkinError("BAD_CONFIG", `serve: port ${port} of ${host} is taken already; give another by --port`, {
        cause,
      });
    });
    const { model, catalogue } = server.context.models.current ?? {};
    output.log(`${model?.name}: ${catalogue?.size.toLocaleString("en")} items, model ${model?.id.slice(0, 12)}\n`);
    output.log(`store ${server.context.store.place}; ${await keysLine(server)}\n`);
    output.log(`listening on ${address}; the API is at ${address}/docs\n`);
    output.log(`${line ?? `the page is at ${address}/`}\n`);
    await stopped;
  } finally {
    off();
  }
}

/** The page to serve, and what there is to say where there is none: the one that is configured goes before the installed one. */
async function pageOf(
  wanted: boolean,
  configured: string | undefined,
): Promise<{ page?: string | undefined; line?: string }> {
  if (!wanted) return { line: "no page, as asked" };
  if (configured !== undefined) return { page: configured };
  const found = await findPage();
  return "folder" in found ? { page: found.folder } : { line: found.reason };
}

/** `results` beside a model's folder: where nearkin demo puts them. */
function resultsBeside(model: string): string | undefined {
  const folder = join(dirname(resolve(model)), "results");
  return existsSync(join(model, "model.json")) && existsSync(folder) ? folder : undefined;
}

type Server = Awaited<ReturnType<typeof import("@nearkin/serve").createServer>>;

async function keysLine({ withKeys, context, config }: Server): Promise<string> {
  if (!withKeys) return "no keys: this machine alone is answered";
  const keys = await context.keys.list();
  const live = keys.filter(({ revoked }) => revoked === null).length;
  if (live > 0) return `${live} key${live === 1 ? "" : "s"}`;
  return `there is NO KEY yet, so nobody is answered; make one: nearkin keys create --store ${shownStore(config.store)} --scopes admin`;
}

/** Histories of a dataset become events of the store; users' metrics are fitted to them in the background. */
async function bringIn(folder: string, { context: { store, refresh } }: Server, output: Output): Promise<void> {
  const live = liveLine(output);
  const { accepted, before } = await importDataset(store, await openDataset(folder), {
    onProgress: ({ done, total }) =>
      live.now(`${done.toLocaleString("en")} of ${total.toLocaleString("en")} events of ${folder}`),
    onUsers: (users) => {
      for (const user of users) refresh.add(user);
    },
  });
  const what = before ? "were there already" : "are in the store; metrics are fitted in the background";
  live.end(`${accepted.toLocaleString("en")} events of ${folder} ${what}`);
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

function parseOpen(text: string): (typeof OPEN)[number][] {
  const names = text.split(",").map((part) => part.trim());
  if (names.every((name) => OPEN.includes(name as never))) return names as (typeof OPEN)[number][];
  throw new InvalidArgumentError(`Expected some of ${OPEN.join(", ")}, such as readyz,metrics.`);
}
