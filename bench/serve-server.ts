// The server as a process of its own, for the suite serve. It also says what the process has used up.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "@nearkin/core";
import { createServer, keepHeapSmall, type NearkinServer, type ServeOptions } from "@nearkin/serve";
import { answerParent } from "./serve-peer.ts";

const SPREAD = 0.4; // sd of the logarithm of users' weights

const folder = mkdtempSync(join(tmpdir(), "nearkin-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let server: NearkinServer | undefined;

/** What a server has used and done so far. */
export interface Usage {
  /** Processor time of all its threads, in ms; and of the one that answers, where the system tells (Linux). */
  cpu: number;
  mainCpu: number | null;
  resident: number;
  /** Passes over the catalogue, and queries they answered. */
  batches: number;
  queries: number;
}

const calls = {
  /** Opens a model and listens; the port. */
  async start({ model, users, options = {} }: { model: string; users: number; options?: Partial<ServeOptions> }) {
    keepHeapSmall(); // as the command does
    server = await createServer({
      port: 0,
      store: join(folder, "nearkin.db"),
      ...options,
      models: [model],
    });
    await putUsers(server, users);
    return { port: Number(new URL(await server.listen()).port) };
  },

  usage(): Usage {
    const { user, system } = process.cpuUsage();
    const { batches, queries } = served().queue.counters;
    return {
      cpu: (user + system) / 1000,
      mainCpu: mainThreadTime(),
      resident: process.memoryUsage().rss,
      batches,
      queries,
    };
  },

  /** Items that wait for their texts: also those whose encoder has failed. */
  waiting: () => served().catalogue.pendingItems,

  async stop() {
    await server?.close();
  },
};

export type ServerCalls = typeof calls;

function served() {
  const current = server?.context.models.current;
  if (!current) throw new Error("no model is served");
  return current;
}

function mainThreadTime(): number | null {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return null;
  }
}

/** Users with weights of their own, log-normal around those that all share. */
async function putUsers({ context: { store, models } }: NearkinServer, count: number): Promise<void> {
  const model = models.current?.model;
  if (!model) throw new Error("no model is served");
  const random = new Random(61);
  for (let u = 0; u < count; u++) {
    const weights = Object.entries(model.weights).map(([name, h]) => [name, h * Math.exp(SPREAD * random.normal())]);
    await store.metrics.set({
      user: `user-${u}`,
      model: model.id,
      weights: Object.fromEntries(weights),
      base: model.weights,
      popularity: 0,
      offset: 0,
      source: "set",
      kept: null,
      items: 0,
      fit: null,
      events: 0,
    });
  }
}

answerParent(calls);
