// Logs without personal data: one line for each request, with the route's pattern and never its URL, and no error's message.
//
// Ids of users and items stand in URLs, in queries, in bodies, and in messages of errors ("no item 'a'", "duplicate key (user_id)=(b)").
// So none of these is logged: of an error, its type, its code and where it was thrown. Everything that is logged through the app's logger
// passes these serializers, whoever logs it.
import {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from "fastify";
import pino from "pino";
import { StoreError, type StoreReason } from "../store/errors.ts";

export interface LogOptions {
  /** @default "info" */
  level?: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  /** Logs messages of errors, which may quote ids of users and items. For a developer's own machine. @default false */
  errorMessages?: boolean;
  /** Where lines go. @default standard output */
  stream?: { write(line: string): void };
}

/** An error as it is logged. */
interface LoggedError {
  readonly type: string;
  readonly code?: string;
  /** Why the store failed, in one of its own words. */
  readonly reason?: StoreReason;
  readonly message?: string;
  /** Where it was thrown: frames only, as a stack begins with the message. */
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Lines are written together, a tenth of a second late at most, and what is left when the process ends: each by itself is a system call. */
const standardOutput = once(() => pino.destination({ dest: 1, sync: false, minLength: 8192, periodicFlush: 100 }));

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const PLAIN = /^[\w.]{1,64}$/; // names and codes are words; anything else may be a message in disguise
const DEEPEST_CAUSE = 4;

/** Fastify's `logger` and `logController` for these options. */
export function logging({
  level = "info",
  errorMessages = false,
  stream,
}: LogOptions = {}): Required<Pick<FastifyServerOptions, "logger" | "logController">> {
  return {
    logger: {
      level,
      serializers: {
        req: (request: FastifyRequest) => ({ method: request.method, route: routeOf(request) }),
        res: (reply: Pick<FastifyReply, "statusCode">) => ({ statusCode: reply.statusCode }),
        err: (error: unknown) => ({ message: "", stack: "", ...loggedError(error, errorMessages) }), // both are asked for
      },
      hooks: {
        // given an error and no text, pino would take the error's message for the text
        logMethod(args, method) {
          const [first, text] = args as unknown[];
          if (typeof first === "object" && text === undefined) method.call(this, first, "");
          else method.apply(this, args);
        },
      },
      stream: stream ?? standardOutput(),
    },
    logController: new QuietController(),
  };
}

/** The pattern of the route, such as /v1/users/:id/metric. */
export function routeOf(request: FastifyRequest): string {
  return request.is404 ? "unmatched" : (request.routeOptions.url ?? "unmatched");
}

/** What may be logged of an error. */
function loggedError(error: unknown, withMessages = false, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    type: PLAIN.test(name) ? name : "Error",
    ...(typeof code === "string" && PLAIN.test(code) && { code }),
    ...(error instanceof StoreError && { reason: error.reason }),
    ...(withMessages && { message }),
    ...(typeof stack === "string" && { stack: frames(stack, message) }),
    ...(cause !== undefined && depth < DEEPEST_CAUSE && { cause: loggedError(cause, withMessages, depth + 1) }),
  };
}

/** The frames of a stack, which begins with the message; a message may have lines that look like frames. */
function frames(stack: string, message: string): string {
  const at = stack.indexOf(message);
  return stack
    .slice(at < 0 ? 0 : at + message.length)
    .split("\n")
    .filter((line) => /^ {4}at .*(?::\d+:\d+\)?|\(<anonymous>\)|\(native\)|index \d+\))$/.test(line))
    .join("\n");
}

/** Fastify's own lines would show URLs and messages; ours replace them, and what remains is said without either. */
class QuietController extends LogController {
  constructor() {
    super({ requestIdLogLabel: "requestId" });
  }
  override incomingRequest(): void {}
  override requestCompleted(): void {}
  override defaultErrorLog(): void {}
  override routeNotFound(): void {}
  override streamError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.warn({ err: error }, "answer broken off");
  }
  override writeHeadError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.error({ err: error }, "headers not written");
  }
  override serializerError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.error({ err: error }, "answer not serialised");
  }
  override serviceUnavailable(logger: FastifyBaseLogger): void {
    logger.info("refused while closing");
  }
}
