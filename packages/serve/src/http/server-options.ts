// Fastify's options: limits on slow and greedy clients, ids, logs, and what a connection is told that breaks the protocol.
import { randomUUID } from "node:crypto";
import { type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ApiErrorCode } from "@nearkin/client/contract";
import type { FastifyHttpOptions } from "fastify";
import { BODY_LIMIT } from "./bodies.ts";
import { errorBody, sendError } from "./errors.ts";
import { type LogOptions, logging } from "./logs.ts";
import { requestId } from "./request-id.ts";
import { checkedUrl, LONGEST_URL } from "./urls.ts";

/** How long clients may take. All in ms. */
export interface Patience {
  /** For the headers of a request. @default 10000 */
  headersMs?: number;
  /** For the whole request, body included. @default 60000 */
  requestMs?: number;
  /** For a connection on which nothing moves while it is being answered, or the answer read. @default 120000 */
  silenceMs?: number;
  /** For the next request on an open connection; longer than proxies wait, who must not write into one that closes. @default 75000 */
  keepAliveMs?: number;
  /** How often connections are looked at. @default 2000 */
  checkMs?: number;
}

export interface ServerOptionsOptions {
  logs?: LogOptions | false;
  patience?: Patience;
  /** Bytes of a body, where its route does not say. @default 1 MiB */
  bodyLimit?: number;
  /** Tells if an address is a proxy's, whose X-Forwarded-* headers are believed. @default none */
  trustProxy?: ((address: string) => boolean) | undefined;
}

/** Longest parameter of a path: no shorter than a URL, so that unknown and known paths are refused alike. */
const LONGEST_PARAMETER = LONGEST_URL;

/** Options for `fastify()`. */
export function serverOptions({
  logs = {},
  patience = {},
  bodyLimit = BODY_LIMIT,
  trustProxy,
}: ServerOptionsOptions = {}) {
  const {
    headersMs = 10_000,
    requestMs = 60_000,
    silenceMs = 120_000,
    keepAliveMs = 75_000,
    checkMs = 2000,
  } = patience;
  return {
    http: {
      headersTimeout: Math.min(headersMs, requestMs),
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
    },
    requestTimeout: requestMs,
    connectionTimeout: silenceMs,
    keepAliveTimeout: keepAliveMs,
    bodyLimit,
    genReqId: requestId,
    requestIdHeader: false,
    rewriteUrl: checkedUrl,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    return503OnClosing: false, // who is still connected while we stop is answered, not turned away
    frameworkErrors: (error, request, reply) => {
      sendError(error, request, reply);
    },
    clientErrorHandler: answerBrokenRequest,
    ...(trustProxy !== undefined && { trustProxy }),
    ...(logs !== false && logging(logs)),
  } satisfies FastifyHttpOptions<Server>;
}

interface Broken {
  readonly code: ApiErrorCode;
  readonly message: string;
  readonly status: number;
}

const BROKEN: Readonly<Record<string, Broken>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { code: "REQUEST_TIMEOUT", message: "The request took too long to arrive.", status: 408 },
  HPE_HEADER_OVERFLOW: { code: "HEADERS_TOO_LARGE", message: "The headers are too long.", status: 431 },
};
const NOT_HTTP: Broken = { code: "BAD_REQUEST", message: "This is not HTTP.", status: 400 };

/** What does not even parse as HTTP gets an answer in our shape, and the connection is closed. Nothing of it is logged. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { code, message, status } = BROKEN[error.code ?? ""] ?? NOT_HTTP;
  const id = randomUUID();
  const body = JSON.stringify(errorBody({ status, code, message }, id));
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "Connection: close",
      "Content-Type: application/json; charset=utf-8",
      "Cache-Control: no-store",
      "X-Content-Type-Options: nosniff",
      `X-Request-Id: ${id}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n"),
  );
}
