// What a server is told: the section serve: of nearkin.yaml, and what the command line changes. One schema, unknown keys rejected.
import { z } from "zod";
import { isNetwork } from "./access/networks.ts";

const seconds = z.number().min(0).max(3600);

const rate = z.strictObject({
  /** Requests a second, on average. */
  perSecond: z.number().positive(),
  /** Requests at once. */
  burst: z.int().min(1),
});

export const serveConfigSchema = z.strictObject({
  /** Address to listen on. Beyond localhost, keys are asked for. */
  host: z.string().min(1).default("127.0.0.1"),
  /** 0: any that is free. */
  port: z.int().min(0).max(65_535).default(7410),
  /** Users, events and items: a file, or postgres://… */
  store: z.string().min(1).default("nearkin.db"),
  /** auto: on where the host is more than localhost. */
  keys: z.enum(["auto", "on", "off"]).default("auto"),
  /** Names that the server is called by, besides localhost; only looked at without keys. */
  names: z.array(z.string().min(1)).default([]),
  /** Origins of pages that may call it from a browser, such as https://shop.example. */
  origins: z.array(z.url()).default([]),
  /** Proxies whose X-Forwarded-For is believed: addresses or networks, such as 10.0.0.0/8. */
  trustProxy: z
    .array(
      z.string().refine(isNetwork, "expected an address, or a network in CIDR notation such as 10.0.0.0/8 and not /0"),
    )
    .default([]),
  /** Connections at once; further ones are dropped. */
  connections: z.int().min(1).max(1_000_000).default(4096),
  /** Connections at once from one address, other than those of trustProxy. @default a quarter of connections */
  connectionsPerAddress: z.int().min(1).optional(),
  /** Paths that need no key: of readyz, metrics, docs, reports. */
  open: z.array(z.enum(["readyz", "metrics", "docs", "reports"])).default([]),
  /** Who may read files of models, other than model.json: tokens and keys, keys alone, or nobody. A page needs them to compute by itself. */
  modelFiles: z.enum(["tokens", "keys", "off"]).default("tokens"),
  /** Folder of the built page, served at /. @default none */
  page: z.string().min(1).optional(),
  /** Folder of what nearkin evaluate and nearkin report wrote. @default none */
  results: z.string().min(1).optional(),
  /** Threads that scan. @default the cores there are, at most 8 */
  threads: z.int().min(1).max(64).optional(),
  /** Items from which on a graph proposes candidates; null: never. */
  graphFrom: z.int().min(1).nullable().default(500_000),
  /** Folder that graphs are kept in between starts. @default they are built anew */
  graphFolder: z.string().min(1).optional(),
  /** New items that may be put at run time, beyond those of the model. What the store has already gets room in any case. */
  spareItems: z.int().min(0).default(100_000),
  /** Events of one user that are stored, imports aside, and as many entries of feedback. */
  eventsPerUser: z.int().min(1).default(100_000),
  /** Searches that may wait before others are turned away; as many of the graph, filters, and changes of items. Explanations that read the whole catalogue: 32 at most. */
  queue: z.int().min(1).default(1000),
  /** ms from a user's event to the fit of their metric: what comes meanwhile is the same fit. */
  refreshDelay: z.int().min(0).max(60_000).default(100),
  /** s that what is known of a user may be old, where several servers share a store. */
  userCache: seconds.default(2),
  /** s between looks at what other servers on the store have changed, where nothing is announced. Who looks less often is taken for dead by the others. */
  lookEvery: z.number().min(0.05).max(3).default(1),
  /** Whether a connection listens for announcements of other servers; a pooler by transaction cannot pass them on. */
  listen: z.boolean().default(true),
  /** Bytes of a body. */
  bodyLimit: z
    .int()
    .min(1024)
    .default(2 ** 20),
  /** Bytes of a body that puts items. */
  itemsBodyLimit: z
    .int()
    .min(1024)
    .default(32 * 2 ** 20),
  /** Requests of one key, token or address; null: no limit. @default with keys 200 a second, without none */
  rate: rate.nullable().optional(),
  /** s for a request to arrive whole. */
  requestTimeout: seconds.default(30),
  /** s that requests under way get when the server ends. */
  grace: seconds.default(10),
  /** s between readiness going off and the end of listening: a balancer looks away meanwhile. */
  drain: seconds.default(0),
  /** Lines of log from this level on. */
  log: z.enum(["silent", "error", "warn", "info", "debug"]).default("info"),
});

export type ServeConfig = z.output<typeof serveConfigSchema>;
export type ServeConfigInput = z.input<typeof serveConfigSchema>;
