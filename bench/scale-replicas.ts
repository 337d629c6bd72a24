// One, two and three servers over one PostgreSQL, all on this machine with what asks them: so what is measured is not how much faster three machines are,
// but what each further server costs. Searches are of users with metrics of their own; events are stored and not fitted, which is another suite's.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { openPostgres } from "../packages/serve/src/store/postgres.ts";
import { startPostgres } from "../packages/serve/src/testing/postgres.ts";
import { type Machine, machine, median } from "./harness.ts";
import type { LoadCalls, Searches } from "./serve-load.ts";
import { bundlePeers, Peer } from "./serve-peer.ts";
import type { ServerCalls } from "./serve-server.ts";
import { servedFolder } from "./serve-world.ts";

const USERS = 500;
const CONNECTIONS = 48; // of all servers together: as many for each of one, two or three
const WARM_UP = 4; // s
const BATCH = 100; // events of a request
const WRITERS = 6; // connections that send events
const COUNTED = 11_000; // ms until PostgreSQL has counted all that was done: its processes report every ten seconds while they idle
const QUIET = 4 * COUNTED; // ms in which nobody asks: many reports, since some more or less would be half of one
const TICK = 10; // ms of processor time, as /proc counts it

export interface ReplicaScale {
  date: string;
  machine: Machine;
  items: number;
  rounds: number;
  cases: readonly ReplicaCase[];
}

interface ReplicaCase {
  servers: number;
  /** Searches a second of all servers together, median over rounds. */
  searches: number;
  /** For a thousand searches. */
  perSearches: Cost;
  /** Events a second of all servers together, in requests of a hundred, median over rounds. */
  events: number;
  /** For a thousand events. */
  perEvents: Cost;
  /** Transactions a second of PostgreSQL while nobody asks anything. */
  idle: number;
  /** Bytes of each server's process after the load. */
  resident: readonly number[];
  /** Requests that were not answered 200. */
  failed: number;
}

interface Cost {
  /** Of PostgreSQL. */
  transactions: number;
  /** Seconds of processor time: of PostgreSQL (null: the system does not tell), of all servers, of what asks them. */
  postgres: number | null;
  servers: number;
  load: number;
}

interface Replica {
  readonly port: number;
  readonly server: Peer<ServerCalls>;
  readonly load: Peer<LoadCalls>;
}

export interface ReplicaOptions {
  items?: number;
  rounds?: number;
  /** s of one measurement. */
  seconds?: number;
}

export async function measureReplicas({
  items = 26_744,
  rounds = 3,
  seconds = 4,
}: ReplicaOptions = {}): Promise<ReplicaScale> {
  const model = await servedFolder(items);
  await bundlePeers();
  await using postgres = await startPostgres();
  await using database = await openPostgres(postgres.url, { connections: 1 });
  const cases: ReplicaCase[] = [];
  for (let servers = 1; servers <= 3; servers++) {
    process.stderr.write(`${servers} of 3 servers\n`);
    const replicas: Replica[] = [];
    try {
      for (let i = 0; i < servers; i++)
        replicas.push(await startReplica(model, { url: postgres.url, servers, place: i }));
      cases.push(await measureCase(replicas, { items, rounds, seconds, postgres: usageOf(database) }));
    } finally {
      for (const { server, load } of replicas) {
        await server.ask("stop").catch(() => {});
        await server[Symbol.asyncDispose]();
        await load[Symbol.asyncDispose]();
      }
    }
  }
  return { date: new Date().toISOString().slice(0, 10), machine: machine(), items, rounds, cases };
}

/** Tables of their own for every number of servers: nobody has users of others to fit. */
async function startReplica(
  model: string,
  { url, servers, place }: { url: string; servers: number; place: number },
): Promise<Replica> {
  const server = new Peer<ServerCalls>("serve-server");
  const load = new Peer<LoadCalls>("serve-load");
  const { port } = await server.ask("start", {
    model,
    users: place === 0 ? USERS : 0,
    options: { store: url, storeOptions: { schema: `servers_${servers}` }, refreshDelay: 60_000, log: "silent" },
  });
  return { port, server, load };
}

interface CaseOptions {
  items: number;
  rounds: number;
  seconds: number;
  postgres: () => Promise<Postgres>;
}

async function measureCase(
  replicas: readonly Replica[],
  { items, rounds, seconds, postgres }: CaseOptions,
): Promise<ReplicaCase> {
  const n = replicas.length;
  let failed = 0;
  const search = async (time: number, seed: number): Promise<Done> => {
    const loaded = await Promise.all(
      replicas.map(({ load, port }, i) => {
        const searches: Searches = {
          port,
          items,
          users: USERS,
          connections: CONNECTIONS / n,
          seconds: time,
          seed: seed * 10 + i,
        };
        return load.ask("closed", searches);
      }),
    );
    failed += sum(loaded.map((one) => one.failed));
    return { count: sum(loaded.map(({ answered }) => answered)), load: sum(loaded.map(({ cpu }) => cpu)) / 1000 };
  };
  const write = async (round: number): Promise<Done> => {
    const loaded = await Promise.all(
      replicas.map(({ load, port }, i) =>
        load.ask("events", {
          port,
          items,
          connections: WRITERS / n,
          seconds,
          batch: BATCH,
          name: `event-${n}-${round}-${i}`,
        }),
      ),
    );
    failed += sum(loaded.map((one) => one.failed));
    return { count: sum(loaded.map(({ events }) => events)), load: sum(loaded.map(({ cpu }) => cpu)) / 1000 };
  };
  await delay(COUNTED);
  const quiet = await postgres();
  await delay(QUIET);
  const later = await postgres();
  const idle = (later.transactions - quiet.transactions) / ((later.at - quiet.at) / 1000);
  // Until the code is compiled, and every server has met nearly every user: what it knows of one it reads again after a minute.
  for (let met = 0, seed = 101; met < 6 * USERS * n; seed++) met += (await search(WARM_UP, seed)).count;
  await delay(COUNTED);
  /** Rounds of the same work; what the servers do by themselves until all is counted is taken off. */
  const measured = async (work: (round: number) => Promise<Done>): Promise<{ rate: number; cost: Cost }> => {
    const [before, serversBefore] = [await postgres(), await cpuOf(replicas)];
    const done: Done[] = [];
    for (let round = 1; round <= rounds; round++) done.push(await work(round));
    const serversAfter = await cpuOf(replicas);
    await delay(COUNTED);
    const after = await postgres();
    const per = 1000 / sum(done.map(({ count }) => count));
    const cost = {
      transactions: (after.transactions - before.transactions - (idle * COUNTED) / 1000) * per,
      postgres: after.cpu === null || before.cpu === null ? null : (after.cpu - before.cpu) * per,
      servers: (serversAfter - serversBefore) * per,
      load: sum(done.map(({ load }) => load)) * per,
    };
    return { rate: median(done.map(({ count }) => count)) / seconds, cost };
  };
  const searches = await measured((round) => search(seconds, round));
  const events = await measured(write);
  const resident = await Promise.all(replicas.map(async ({ server }) => (await server.ask("usage")).resident));
  return {
    servers: n,
    searches: searches.rate,
    perSearches: searches.cost,
    events: events.rate,
    perEvents: events.cost,
    idle,
    resident,
    failed,
  };
}

/** What was answered, and the seconds of processor time of what asked. */
interface Done {
  count: number;
  load: number;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

async function cpuOf(replicas: readonly Replica[]): Promise<number> {
  const usages = await Promise.all(replicas.map(({ server }) => server.ask("usage")));
  return sum(usages.map(({ cpu }) => cpu)) / 1000;
}

/** What PostgreSQL has done so far. */
interface Postgres {
  /** performance.now() when it was asked. */
  at: number;
  transactions: number;
  /** s of all its processes, those that have ended included; null where the system does not tell. */
  cpu: number | null;
}

function usageOf(database: Awaited<ReturnType<typeof openPostgres>>): () => Promise<Postgres> {
  return async () => {
    const at = performance.now();
    const sql = `SELECT CAST(SUM(xact_commit + xact_rollback) AS BIGINT) AS transactions,
      split_part(pg_read_file('postmaster.pid'), chr(10), 1) AS pid FROM pg_stat_database`;
    const [[{ transactions, pid }]] = await database.run([{ sql }]);
    return { at, transactions: transactions as number, cpu: familyTime(Number(pid)) };
  };
}

/** Processor time of a process, its children, and those of them that have ended. */
function familyTime(parent: number): number | null {
  try {
    const times = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => timesOf(name))
      .filter((one) => one !== undefined)
      .filter(({ pid, ppid }) => pid === parent || ppid === parent)
      .map(({ pid, own, ended }) => (pid === parent ? own + ended : own));
    return (sum(times) * TICK) / 1000;
  } catch {
    return null;
  }
}

function timesOf(name: string): { pid: number; ppid: number; own: number; ended: number } | undefined {
  try {
    const [, rest] = readFileSync(`/proc/${name}/stat`, "utf8").split(/\) (?!.*\) )/s);
    const fields = rest.split(" "); // from the third on: state, ppid, …
    const at = (field: number) => Number(fields[field - 3]);
    return { pid: Number(name), ppid: at(4), own: at(14) + at(15), ended: at(16) + at(17) };
  } catch {
    return undefined; // it has ended meanwhile
  }
}
