// Every error, wherever it comes from, leaves in one shape: { error: { code, message, field?, nearest?, requestId } }.
import { statusOf } from "@nearkin/client/contract";
import { NearkinError } from "@nearkin/core";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError, type NamedItem } from "./api-error.ts";
import { libraryErrors, toldInstead } from "./library-errors.ts";
import { BAD_URL, LONG_URL, LONGEST_URL } from "./urls.ts";

/** The body of every answer that is not a success. */
export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly field?: string;
    readonly nearest?: readonly NamedItem[];
    readonly requestId: string;
  };
}

/** An error as it is answered. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly field?: string | undefined;
  readonly nearest?: readonly NamedItem[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

declare module "fastify" {
  interface FastifyRequest {
    /** What made the answer a 5xx; the log shows where it was thrown. */
    failure: unknown;
  }
}

const INTERNAL: ErrorAnswer = {
  status: 500,
  code: "INTERNAL",
  message: "Something went wrong here. It has been logged under this request's id.",
};

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** What Fastify itself refuses, in our words. */
const FRAMEWORK: Readonly<Record<string, () => ApiError>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: () =>
    new ApiError(
      "BAD_REQUEST",
      "the body: not JSON, or with a key that is not accepted (__proto__, constructor.prototype)",
    ),
  FST_ERR_CTP_EMPTY_JSON_BODY: () =>
    new ApiError("BAD_REQUEST", "the body: empty, though its type is application/json; send JSON, or no Content-Type"),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new ApiError("BAD_REQUEST", "the body: not as long as Content-Length says"),
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new ApiError("BODY_TOO_LARGE", "The body is larger than this route takes: send it in several parts."),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError("UNSUPPORTED_MEDIA_TYPE", "Bodies are JSON: send Content-Type: application/json."),
  FST_ERR_BAD_URL: () => badUrl(),
  FST_ERR_MAX_PARAM_LENGTH: () => new ApiError("URI_TOO_LONG", "A part of the path is too long."),
  FST_ERR_HANDLER_TIMEOUT: () => new ApiError("BUSY", "This took too long; try again."),
};

/** How an error is answered. Nothing of an error that we did not foresee gets out. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof ApiError) return error;
  if (error instanceof NearkinError) return libraryAnswer(error);
  if (!(error instanceof Error)) return INTERNAL;
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code !== undefined && Object.hasOwn(FRAMEWORK, code)) return FRAMEWORK[code]();
  // a body that broke off: nobody is there to read this, but it is no failure of ours
  if (statusCode === 400) return new ApiError("BAD_REQUEST", "The request could not be read.");
  return INTERNAL;
}

function libraryAnswer(error: NearkinError): ErrorAnswer {
  const code = libraryErrors[error.code] ?? "INTERNAL";
  if (code === "INTERNAL") return INTERNAL;
  const status = statusOf(code);
  const { field, nearest } = error as { field?: unknown; nearest?: unknown };
  return {
    status,
    code,
    message: toldInstead[code] ?? error.message,
    ...(status === 503 && { headers: { "retry-after": "1" } }),
    ...(typeof field === "string" && { field }),
    ...(Array.isArray(nearest) && { nearest }),
  };
}

/** The body of an answer. */
export function errorBody({ code, message, field, nearest }: ErrorAnswer, requestId: string): ErrorBody {
  return {
    error: {
      code,
      message,
      ...(field !== undefined && { field }),
      ...(nearest !== undefined && { nearest }),
      requestId,
    },
  };
}

/** Sends an error. 5xx leave a note for the log. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const answer = errorAnswer(error);
  const meant = error instanceof ApiError && error.cause === undefined; // such as: not ready yet
  if (answer.status >= 500 && !meant) request.failure = error;
  if (answer.headers !== undefined) reply.headers(answer.headers);
  // as text, so that no response schema of the route is applied to it
  return reply
    .code(answer.status)
    .type("application/json; charset=utf-8")
    .send(JSON.stringify(errorBody(answer, request.id)));
}

/** Answers errors and unknown paths. */
export function installErrors(app: FastifyInstance): void {
  app.decorateRequest("failure", undefined);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => sendError(notFound(app, request), request, reply));
}

function notFound(app: FastifyInstance, { method, raw }: FastifyRequest): ApiError {
  const url = raw.url ?? "/";
  if (url === BAD_URL) return badUrl();
  if (url === LONG_URL) {
    return new ApiError("URI_TOO_LONG", `URLs have ${LONGEST_URL} characters at most: send long input in a body.`);
  }
  const allow = METHODS.filter((other) => other !== method && app.findRoute({ method: other, url }) !== null);
  if (allow.length > 0) {
    return new ApiError("METHOD_NOT_ALLOWED", `Only ${allow.join(", ")} can be used here.`, {
      headers: { allow: allow.join(", ") },
    });
  }
  return new ApiError("NOT_FOUND", "There is nothing at this path; /docs shows every route.");
}

function badUrl(): ApiError {
  return new ApiError(
    "BAD_REQUEST",
    "The URL is badly escaped: percent signs start UTF-8 bytes in hexadecimal, as %C3%A9.",
  );
}
