// Every answer carries the id of its request, so that a caller's report and our logs meet.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

const SANE = /^[A-Za-z0-9._-]{1,128}$/;
const SECRET = /^n[kt]_/; // a key or a token in the wrong header must not end up in our logs

/** The caller's own id where it is one, else a new one. For Fastify's `genReqId`. */
export function requestId({ headers }: Pick<IncomingMessage, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && SANE.test(given) && !SECRET.test(given) ? given : randomUUID();
}

/** Puts the id into every answer. */
export function installRequestIds(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
}
