// What loads the server, as a process of its own: searches as fast as they are answered (closed loop), searches at a given rate (open loop), events, items.
import { Random } from "@nearkin/core";
import { HttpConnection, httpRequest } from "./http-connection.ts";
import { answerParent } from "./serve-peer.ts";
import { idOf, TEXT_CHANNEL } from "./serve-world.ts";

/** Searches of many users around many items. */
export interface Searches {
  port: number;
  items: number;
  users: number;
  connections: number;
  seconds: number;
  seed: number;
}

/** Milliseconds by the share of answers that came sooner. */
interface Latencies {
  median: number;
  late: number;
  latest: number;
}

interface Loaded extends Latencies {
  /** Requests that were answered 200, others, and in how long. */
  answered: number;
  failed: number;
  seconds: number;
  /** Processor time of this process, in ms. */
  cpu: number;
}

const calls = {
  /** Every connection asks again as soon as it is answered. */
  async closed(searches: Searches): Promise<Loaded> {
    const next = searchMaker(searches);
    return withConnections(searches, async (connections, record) => {
      const end = performance.now() + searches.seconds * 1000;
      await Promise.all(
        connections.map(async (connection) => {
          for (let now = performance.now(); now < end; ) {
            const status = await connection.send(next());
            const then = performance.now();
            record(status, then - now);
            now = then;
          }
        }),
      );
    });
  },

  /**
   * Requests are due at even intervals, whether or not earlier ones were answered; latencies count from when one was due. So what waits for a slow
   * answer counts as slow too.
   */
  async open({ rate, ...searches }: Searches & { rate: number }): Promise<Loaded> {
    const next = searchMaker(searches);
    return withConnections(searches, async (connections, record) => {
      const total = Math.floor(rate * searches.seconds);
      const start = performance.now();
      const idle = [...connections];
      const due = (i: number) => start + (1000 * i) / rate;
      let [sent, done] = [0, 0];
      await new Promise<void>((resolve, reject) => {
        const send = (connection: HttpConnection, i: number) => {
          connection.send(next()).then((status) => {
            const now = performance.now();
            record(status, now - due(i));
            if (++done === total) resolve();
            else if (sent < total && due(sent) <= now) send(connection, sent++);
            else idle.push(connection);
          }, reject);
        };
        const tick = () => {
          const now = performance.now();
          while (idle.length > 0 && sent < total && due(sent) <= now) send(idle.pop() as HttpConnection, sent++);
          if (sent < total) setTimeout(tick, Math.max(1, due(sent) - now));
        };
        tick();
      });
    });
  },

  /** Batches of events, each of another user, all different: stored before they are answered. Under another name they are different again. */
  async events({
    port,
    connections,
    seconds,
    items,
    batch,
    name = "event",
  }: Omit<Searches, "users" | "seed"> & { batch: number; name?: string }) {
    const random = new Random(71);
    let sent = 0;
    const next = () => {
      const events = Array.from({ length: batch }, () => ({
        id: `${name}-${sent}`,
        user: `reader-${sent++ % 5000}`,
        item: idOf(random.below(items)),
        rating: 1 + random.below(5),
        type: "view",
      }));
      return httpRequest("POST", "/v1/events", { port, body: { events } });
    };
    const loaded = await withConnections({ port, connections }, async (open, record) => {
      const end = performance.now() + seconds * 1000;
      await Promise.all(
        open.map(async (connection) => {
          for (let now = performance.now(); now < end; now = performance.now()) {
            const status = await connection.send(next());
            record(status, performance.now() - now);
          }
        }),
      );
    });
    return { ...loaded, events: loaded.answered * batch };
  },

  /** Puts new items with a text each, in batches; ms until they were answered. */
  async put({
    port,
    count,
    batch,
    first,
  }: {
    port: number;
    count: number;
    batch: number;
    first: number;
  }): Promise<number> {
    const connection = await HttpConnection.open(port);
    const random = new Random(72 + first);
    const started = performance.now();
    for (let from = 0; from < count; from += batch) {
      const items = Array.from({ length: Math.min(batch, count - from) }, (_, i) => ({
        id: `new-${first + from + i}`,
        title: `New item ${first + from + i}`,
        channels: { [TEXT_CHANNEL]: sentence(random) },
      }));
      const { status, body } = await connection.ask(httpRequest("PUT", "/v1/items", { port, body: { items } }));
      if (status !== 200) throw new Error(`items were not put: ${status} ${body}`);
    }
    connection.close();
    return performance.now() - started;
  },

  /** One search, looked at: what was answered. */
  async look(searches: Searches): Promise<unknown> {
    const connection = await HttpConnection.open(searches.port);
    const { status, body } = await connection.ask(searchMaker(searches)());
    connection.close();
    if (status !== 200) throw new Error(`a search was answered ${status}: ${body}`);
    return JSON.parse(body);
  },
};

export type LoadCalls = typeof calls;

/** Requests of users drawn at random around items drawn at random. */
function searchMaker({ port, items, users, seed }: Pick<Searches, "port" | "items" | "users" | "seed">): () => string {
  const random = new Random(seed);
  const rest = ` HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`;
  return () => `GET /v1/items/${idOf(random.below(items))}/similar?user=user-${random.below(users)}&k=10${rest}`;
}

const WORDS =
  "a the of and lonely keeper lighthouse storm island sailor captain letter winter city detective sister brother returns finds loses old young war train garden night river secret stranger dances family farm".split(
    " ",
  );

/** A short description. */
const sentence = (random: Random): string =>
  Array.from({ length: 15 }, () => WORDS[random.below(WORDS.length)]).join(" ");

/** Runs with so many open connections, counting. */
async function withConnections(
  { port, connections: count }: Pick<Searches, "port" | "connections">,
  run: (connections: HttpConnection[], record: (status: number, ms: number) => void) => Promise<void>,
): Promise<Loaded> {
  const connections = await Promise.all(Array.from({ length: count }, () => HttpConnection.open(port)));
  const times: number[] = [];
  let failed = 0;
  const cpu = process.cpuUsage();
  const started = performance.now();
  await run(connections, (status, ms) => {
    if (status === 200) times.push(ms);
    else failed++;
  });
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  for (const connection of connections) connection.close();
  return { answered: times.length, failed, seconds, cpu: (user + system) / 1000, ...latencies(times) };
}

function latencies(times: number[]): Latencies {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { median: at(0.5), late: at(0.99), latest: at(1) };
}

answerParent(calls);
