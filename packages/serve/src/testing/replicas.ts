// Several servers on one store, each in a process of its own, and how long one takes to see what another was told.
import { setTimeout as delay } from "node:timers/promises";
import { patience } from "@nearkin/core/testing";
import type { ServeConfigInput } from "../config.ts";
import { type ChildServer, startChild } from "./child-server.ts";
import type { Place } from "./places.ts";

/** Time in milliseconds that a change may take to reach every server. */
export const STALENESS = 2000 * patience;
const TIMEOUT_MS = 30_000 * patience;

export interface ReplicaSet extends AsyncDisposable {
  readonly servers: readonly ChildServer[];
  readonly urls: readonly string[];
}

/** One server for each of the configurations, on the same models. */
export async function startReplicas(
  models: string,
  place: Place,
  configs: readonly (ServeConfigInput & { models?: string })[],
): Promise<ReplicaSet> {
  const starting = configs.map(({ models: own = models, ...config }) => startChild(own, place, config));
  const settled = await Promise.allSettled(starting);
  const servers = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const dispose = async () => void (await Promise.all(servers.map((server) => server[Symbol.asyncDispose]())));
  const failed = settled.find((one) => one.status === "rejected");
  if (failed) {
    await dispose();
    throw failed.reason;
  }
  return { servers, urls: servers.map(({ url }) => url), [Symbol.asyncDispose]: dispose };
}

/** ms from now until it is so; throws where it is not for long. */
export async function timeUntil(isSo: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  for (;;) {
    if (await isSo()) return performance.now() - started;
    if (performance.now() - started > TIMEOUT_MS) throw new Error(`not so within ${TIMEOUT_MS} ms: ${isSo}`);
    await delay(5);
  }
}
