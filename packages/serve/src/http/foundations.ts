// What stands under every route, in the order in which it must stand.
import type { FastifyInstance } from "fastify";
import { type GuardOptions, installGuard } from "../access/guard.ts";
import { installBodies } from "./bodies.ts";
import { type ConnectionLimits, limitConnections } from "./connections.ts";
import { installDraining } from "./drain.ts";
import { installErrors } from "./errors.ts";
import { installCacheControl, installCors, installSecurityHeaders } from "./headers.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Metrics } from "./metrics.ts";
import { installObservation } from "./observe.ts";
import { installRequestIds } from "./request-id.ts";

export interface FoundationsOptions {
  guard: Omit<GuardOptions, "metrics" | "isCrowded">;
  metrics: Metrics;
  lifecycle: Lifecycle;
  /** Origins whose pages may ask and read answers, exactly as browsers write them. @default none */
  origins?: readonly string[];
  connections?: Omit<ConnectionLimits, "onRefused">;
  /** Logs callers' addresses. @default false */
  addresses?: boolean;
}

/** Prepares an app made with `serverOptions`. Register routes afterwards, each with its `config` (RouteAccess). */
export async function installFoundations(
  app: FastifyInstance,
  { guard, metrics, lifecycle, origins = [], connections = {}, addresses = false }: FoundationsOptions,
): Promise<void> {
  const isCrowded = limitConnections(app.server, { ...connections, onRefused: metrics.access.connectionRefused });
  installObservation(app, { metrics: metrics.http, addresses });
  installRequestIds(app);
  installErrors(app);
  installBodies(app);
  await installSecurityHeaders(app);
  await installCors(app, origins); // before the guard: browsers ask first without credentials
  const { door } = guard;
  const ownDoor = door.kind === "local" ? { ...door, origins: [...(door.origins ?? []), ...origins] } : door;
  installGuard(app, { ...guard, door: ownDoor, isCrowded, metrics: metrics.access });
  installCacheControl(app);
  installDraining(app, lifecycle);
}
