// One request that cannot hang: a server that sends nothing for a while is given up. And what each way to fail is called.
import { NearkinError } from "@nearkin/core";

export interface ConnectionOptions {
  /** Seconds without a byte after which a connection counts as stalled. @default 30 */
  stallSeconds?: number;
  /** Repetitions after a connection broke off, stalled, or the server was out of order. @default 3 */
  retries?: number;
  /** Seconds before the first repetition; each further one waits twice as long. @default 1 */
  retrySeconds?: number;
  /** What to do when the server cannot be reached, for the end of the message. */
  advice?: string;
  /** Ends the download; what has arrived is kept. */
  signal?: AbortSignal;
}

export interface Connection {
  readonly response: Response;
  /** The body. May be read once. */
  chunks(): AsyncGenerator<Uint8Array, void>;
  /** Gives the connection up unread. */
  close(): Promise<void>;
}

type Trouble = "unreachable" | "proxy" | "certificate" | "stalled" | "broken";

/** A connection that failed: what happened, and whether another attempt may help. */
export class ConnectionError extends Error {
  readonly trouble: Trouble | "status";
  /** Whether trying again may help. A server that was never reached is no network, rather than a bad moment. */
  readonly passing: boolean;
  constructor(message: string, trouble: Trouble | "status", passing: boolean, cause?: unknown) {
    super(message, { cause });
    this.trouble = trouble;
    this.passing = passing;
  }
}

class Stall extends Error {}

/** Sends a GET; resolves when the head of the answer is there. */
export async function connect(
  url: string,
  headers: Readonly<Record<string, string>>,
  options: ConnectionOptions,
): Promise<Connection> {
  const { stallSeconds = 30, signal } = options;
  const stall = new AbortController();
  let reached = false;
  // The clock runs only while we wait for the server: a slow disk of our own is not its fault.
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    const timer = setTimeout(() => stall.abort(new Stall()), stallSeconds * 1000);
    try {
      return await work;
    } catch (error) {
      signal?.throwIfAborted();
      throw named(stall.signal.aborted ? stall.signal.reason : error, url, { reached, stallSeconds });
    } finally {
      clearTimeout(timer);
    }
  };
  const response = await watched(
    fetch(url, {
      // A packed transfer has other lengths and ranges than the file.
      headers: { "accept-encoding": "identity", "user-agent": "nearkin", ...headers },
      signal: signal ? AbortSignal.any([signal, stall.signal]) : stall.signal,
    }),
  );
  reached = true;
  return {
    response,
    async *chunks() {
      const reader = response.body?.getReader();
      if (!reader) return;
      try {
        for (;;) {
          const { done, value } = await watched(reader.read());
          if (done) return;
          yield value;
        }
      } finally {
        await reader.cancel().catch(() => {});
      }
    },
    close: async () => void (await response.body?.cancel().catch(() => {})),
  };
}

/** The answer's status as an error. */
export function statusError(url: string, response: Response): ConnectionError {
  const { status, statusText } = response;
  if (status === 407) return named(new Error("407 from the proxy"), url);
  const passing = status === 408 || status === 429 || status >= 500;
  return new ConnectionError(`${url} answered ${`${status} ${statusText}`.trim()}`, "status", passing);
}

/** The body ended before the file did. */
export function brokenOff(url: string, cause?: unknown): ConnectionError {
  return new ConnectionError(`the connection to ${new URL(url).host} broke off`, "broken", true, cause);
}

/** The whole of a small text. */
export async function fetchText(url: string, options: ConnectionOptions = {}): Promise<string> {
  return withRetries(options, async () => {
    const connection = await connect(url, {}, options);
    if (!connection.response.ok) {
      await connection.close();
      throw statusError(url, connection.response);
    }
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of connection.chunks()) {
      parts.push(chunk);
      length += chunk.length;
      if (length > 65_536) break; // no sum is that long: an error page, perhaps an endless one
    }
    return Buffer.concat(parts).toString("utf8");
  });
}

/**
 * Repeats `attempt` while its failures are passing ones. `advanced` says whether the last attempt got further: a
 * long download over a bad line may break off many times, as long as each time brings something.
 */
export async function withRetries<T>(
  options: ConnectionOptions,
  attempt: () => Promise<T>,
  advanced: () => Promise<boolean> = async () => false,
): Promise<T> {
  const { retries = 3, retrySeconds = 1, advice, signal } = options;
  let failures = 0;
  for (let first = true; ; first = false) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const passing = error.passing || (error.trouble === "unreachable" && !first);
      failures = (await advanced()) ? 1 : failures + 1;
      if (!passing || failures > retries) {
        const times = passing && failures > 1 ? `, ${failures} times in a row` : "";
        const resumable = error.trouble === "broken" || error.trouble === "stalled";
        const next = resumable ? "try again, it goes on where it stopped" : advice;
        const message = [`${error.message}${times}`, next].filter(Boolean).join("; ");
        throw new NearkinError("DOWNLOAD_FAILED", message, { cause: error });
      }
      await pause(retrySeconds * 2 ** (failures - 1), signal);
    }
  }
}

function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

const UNREACHABLE = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "ECONNREFUSED",
  "ENETUNREACH",
  "ENETDOWN",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "EADDRNOTAVAIL",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function named(error: unknown, url: string, at: { reached?: boolean; stallSeconds?: number } = {}): ConnectionError {
  const { host } = new URL(url);
  if (error instanceof Stall) {
    return new ConnectionError(`${host} sent nothing for ${at.stallSeconds} s`, "stalled", true, error);
  }
  const chain = causes(error);
  const codes = chain.map((e) => (e as { code?: unknown }).code).filter((code) => typeof code === "string");
  if (chain.some((e) => /\bproxy\b/i.test(e.message))) {
    return new ConnectionError(`the proxy does not let us reach ${host}`, "proxy", false, error);
  }
  const certificate = codes.find((code) => /CERT|^UNABLE_TO_|^ERR_TLS|^ERR_SSL/.test(code));
  if (certificate) {
    const message = `the certificate of ${host} is not accepted (${certificate})`;
    return new ConnectionError(message, "certificate", false, error);
  }
  if (!at.reached && codes.some((code) => UNREACHABLE.has(code))) {
    return new ConnectionError(`cannot reach ${host} (no network?${proxyHint(url)})`, "unreachable", false, error);
  }
  return brokenOff(url, error);
}

/** A proxy that is set up but not used is a common reason, and nothing else would tell. */
function proxyHint(url: string): string {
  const name = url.startsWith("https:") ? "HTTPS_PROXY" : "HTTP_PROXY";
  const set = process.env[name] || process.env[name.toLowerCase()];
  if (!set || process.env.NODE_USE_ENV_PROXY === "1") return "";
  return ` ${name} is set, but Node uses it only with NODE_USE_ENV_PROXY=1, from version 22.21 on`;
}

/** The error, its causes, and the members of grouped ones: a host with several addresses fails once for each. */
function causes(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  const grouped = error instanceof AggregateError ? error.errors.flatMap(causes) : [];
  return [error, ...grouped, ...causes(error.cause)];
}
