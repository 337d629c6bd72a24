// One request, sent until it is answered: credentials, time limits, and further attempts where they can do no harm.
import { errorOf, NearkinApiError } from "./error.ts";

export interface ClientOptions {
  /** Where the server is, such as "https://similar.example.org" or "http://127.0.0.1:7410/api". */
  readonly url: string | URL;
  /** A server's key. Never in a page: sign tokens for its users instead. */
  readonly key?: string | undefined;
  /** A token for one user; or a function that gets one, asked at the first request and again when the old one has expired. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** @default the global one */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Milliseconds for each attempt, until its answer is there whole. @default 10000 */
  readonly timeout?: number | undefined;
  /** Further attempts, where they are safe and may help. @default 2 */
  readonly retries?: number | undefined;
  /** Stops every request of this client. */
  readonly signal?: AbortSignal | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Checks every answer, and throws where it is none: `validateAnswer` of "@nearkin/client/contract" holds the server to this very version
   * of the contract. @default no check
   */
  readonly validate?: ((address: string, answer: unknown) => void) | undefined;
}

/** Of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for each attempt. @default the client's */
  readonly timeout?: number | undefined;
  /** @default the client's */
  readonly retries?: number | undefined;
}

interface Outgoing extends CallOptions {
  /** Method and path of the route, as in the contract. */
  readonly address: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** JSON. */
  readonly body?: string | undefined;
  /** What the answer is. @default "json" */
  readonly as?: "json" | "text" | "bytes" | undefined;
  /** Not to be sent again where it may have arrived. */
  readonly once?: boolean | undefined;
}

const FIRST_PAUSE = 200; // ms, doubled from attempt to attempt
const LONGEST_PAUSE = 5_000; // ms
const MOST_PATIENCE = 30_000; // ms; who is told to wait longer should know

/** Refused at the door: nothing was done, so that anything may be sent again. */
const refused: ReadonlySet<string> = new Set(["TOO_MANY_REQUESTS", "BUSY", "NOT_READY"]);
/** May have been done, or half of it: only what is idempotent may be sent again. */
const lost: ReadonlySet<string> = new Set(["UNREACHABLE", "TIMED_OUT", "REQUEST_TIMEOUT", "STORE_UNAVAILABLE"]);
const proxyStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const ACCEPTED = { json: "application/json", text: "text/*", bytes: "application/octet-stream" } as const;

/** Sends requests, and gives their answers as what was asked for. */
export type Transport = (request: Outgoing) => Promise<unknown>;

export function createTransport(options: ClientOptions): Transport {
  const { key, token, headers = {}, timeout: usualTimeout = 10_000, retries: usualRetries = 2, validate } = options;
  if (key !== undefined && token !== undefined) throw new TypeError("give a key or a token, not both");
  const base = String(options.url)
    .replace(/[?#].*$/s, "")
    .replace(/(?<!\/)\/+$/, "");
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  let current: Promise<string> | undefined;

  return async function send(request: Outgoing): Promise<unknown> {
    const retries = request.retries ?? usualRetries;
    let fresh = false; // whether the token was got anew for this request
    for (let attempt = 0; ; attempt++) {
      const used = credential();
      try {
        return await exchange(request, await used);
      } catch (error) {
        if (!(error instanceof NearkinApiError)) throw error;
        if (error.code === "UNAUTHENTICATED" && typeof token === "function" && !fresh) {
          if (current === used) current = undefined; // another request may have got a new one meanwhile
          fresh = true;
          attempt--;
          continue;
        }
        if (attempt >= retries || !mayHelp(error, request)) throw error;
        await pause(pauseAfter(error, attempt), [options.signal, request.signal]);
      }
    }
  };

  function credential(): Promise<string> | string | undefined {
    if (typeof token !== "function") return key ?? token;
    if (current) return current;
    const asked = Promise.resolve(token());
    current = asked;
    asked.catch(() => {
      if (current === asked) current = undefined; // to be asked again
    });
    return asked;
  }

  async function exchange(request: Outgoing, bearer: string | undefined): Promise<unknown> {
    const { address, method, target, body, as = "json" } = request;
    const timeout = request.timeout ?? usualTimeout;
    const signals = [options.signal, request.signal].filter((signal) => signal !== undefined);
    const stop = new AbortController();
    const abort = () => stop.abort();
    for (const signal of signals) signal.throwIfAborted();
    for (const signal of signals) signal.addEventListener("abort", abort, { once: true });
    const timer = setTimeout(abort, timeout);
    try {
      const response = await fetch(base + target, {
        method,
        headers: {
          accept: ACCEPTED[as],
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
        signal: stop.signal,
      });
      if (!response.ok) throw errorOf(response, await response.text());
      return await answerOf(request, response);
    } catch (cause) {
      if (cause instanceof NearkinApiError) throw cause;
      for (const signal of signals) signal.throwIfAborted();
      throw stop.signal.aborted
        ? new NearkinApiError("TIMED_OUT", `${address}: no answer in ${timeout} ms`, { status: 0 }, { cause })
        : new NearkinApiError("UNREACHABLE", `${address}: ${base} cannot be reached`, { status: 0 }, { cause });
    } finally {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", abort);
    }
  }

  async function answerOf({ address, as = "json" }: Outgoing, response: Response): Promise<unknown> {
    const { status, headers } = response;
    const requestId = headers.get("x-request-id") ?? undefined;
    const bad = (problem: string, cause: unknown) =>
      new NearkinApiError("BAD_ANSWER", `${address}: ${problem}`, { status, requestId }, { cause });
    const type = headers.get("content-type") ?? "no content-type";
    if (as === "bytes" && type === ACCEPTED.bytes) return new Uint8Array(await response.arrayBuffer());
    const text = await response.text();
    if (as === "text") return text;
    if (as === "bytes" || !type.includes("json"))
      throw bad(`expected ${as === "json" ? "JSON" : as}, got ${type}`, undefined);
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch (cause) {
      throw bad("the answer says it is JSON, and is not", cause);
    }
    try {
      validate?.(address, answer);
    } catch (cause) {
      throw bad(cause instanceof Error ? cause.message : String(cause), cause);
    }
    return answer;
  }
}

/** Whether the same request again may help, and can do no harm. */
function mayHelp({ code, status, retryAfter = 0 }: NearkinApiError, { once = false }: Outgoing): boolean {
  if (retryAfter > MOST_PATIENCE) return false;
  if (refused.has(code)) return true;
  return !once && (lost.has(code) || (code === "BAD_ANSWER" && proxyStatuses.has(status)));
}

/** What the server asks for, or longer from time to time; never quite the same, so that clients do not come back all at once. */
function pauseAfter({ retryAfter }: NearkinApiError, attempt: number): number {
  const chance = Math.random();
  if (retryAfter !== undefined) return retryAfter + 100 * chance;
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** attempt) * (0.5 + 0.5 * chance);
}

async function pause(milliseconds: number, given: readonly (AbortSignal | undefined)[]): Promise<void> {
  const signals = given.filter((signal) => signal !== undefined);
  let end = () => {};
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    end = () => {
      clearTimeout(timer);
      resolve();
    };
    for (const signal of signals) signal.addEventListener("abort", end, { once: true });
  });
  for (const signal of signals) signal.removeEventListener("abort", end);
  for (const signal of signals) signal.throwIfAborted();
}
