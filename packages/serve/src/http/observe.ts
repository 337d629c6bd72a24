// One line in the log and one observation in the metrics for each request, when its answer has gone or its caller has.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { keyOf } from "../access/caller.ts";
import { TokenBuckets } from "../access/rate-limit.ts";
import { routeOf } from "./logs.ts";

/** What is measured of requests. */
interface RequestMetrics {
  started(): void;
  /** `route` is its name, from a list that is known before the first request. */
  finished(route: string, method: string, status: number, seconds: number): void;
}

export interface ObserveOptions {
  metrics?: RequestMetrics;
  /** Names of routes that are called all the time by machines: logged at level debug while all is well. @default health, ready, metrics */
  quietRoutes?: readonly string[];
  /** Logs the caller's address. @default false */
  addresses?: boolean;
}

/** Lines about strangers who were refused; beyond, they are written at level debug. */
const REFUSED_LINES = { perSecond: 1, burst: 20 };

/** Watches all requests. Install first, so that nothing is answered unseen. */
export function installObservation(
  app: FastifyInstance,
  { metrics, quietRoutes = ["health", "ready", "metrics"], addresses = false }: ObserveOptions = {},
): void {
  const quiet = new Set(quietRoutes);
  const refusedLines = new TokenBuckets();
  app.addHook("onRequest", (request, reply, done) => {
    const start = performance.now();
    metrics?.started();
    // "close" comes after a whole answer as well as after a connection that broke: once, whatever happens
    reply.raw.once("close", () => {
      const ms = performance.now() - start;
      const name = request.is404 ? "unmatched" : (request.routeOptions.config.name ?? "unnamed");
      metrics?.finished(name, request.method, statusOf(reply), ms / 1000);
      write(request, reply, ms, quiet.has(name));
    });
    done();
  });

  function write(request: FastifyRequest, reply: FastifyReply, ms: number, isQuiet: boolean): void {
    const status = statusOf(reply);
    const key = keyOf(request.caller ?? { kind: "anonymous" });
    const bytes = Number(reply.getHeader("content-length"));
    const line = {
      route: routeOf(request),
      method: request.method,
      status,
      ms: Math.round(ms * 100) / 100,
      ...(Number.isFinite(bytes) && { bytes }),
      ...(key !== undefined && { key }),
      ...(addresses && { ip: request.ip }),
    };
    const { failure, log } = request;
    if (failure !== undefined) log.error({ ...line, err: failure }, "request");
    else if (status >= 500) log.warn(line, "request");
    else if (isQuiet || (isRefusedStranger(request, status) && !refusedLines.take("", REFUSED_LINES).allowed))
      log.debug(line, "request");
    else log.info(line, "request");
  }
}

const isRefusedStranger = ({ caller }: FastifyRequest, status: number): boolean =>
  status >= 400 && (caller === undefined || caller.kind === "anonymous");

/** 499, as proxies write it, where the caller went away before there was an answer. */
function statusOf(reply: FastifyReply): number {
  return reply.raw.writableEnded ? reply.statusCode : 499;
}
