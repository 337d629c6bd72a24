// The door while there are no keys: only this machine, and only pages of this server.
//
// A server on 127.0.0.1 is reached by every page that a browser on this machine shows. Two things keep such pages out. DNS rebinding, a
// name of theirs that suddenly points to 127.0.0.1, still sends their name in `Host`. And a request across sites says so in `Origin` or
// `Sec-Fetch-Site`, which a page cannot change.
//
// A reverse proxy on this machine makes strangers look local. Requests that show one are refused: by a header that proxies add, or by HTTP/1.0,
// which nginx before 1.29.7 speaks to servers by default. Newer ones speak HTTP/1.1 and, unless they are told to, add no header: nothing tells their
// requests from those of this machine, so the documentation asks for keys behind any proxy, and no key is made over HTTP without keys.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

export interface LocalOptions {
  /** Further names under which this server may be addressed, as "name" (any port) or "name:port". */
  hosts?: readonly string[];
  /** Further origins whose pages may call it, exactly as browsers write them: "http://localhost:5173". */
  origins?: readonly string[];
}

/** Why a request is refused at this door. */
export interface LocalRefusal {
  readonly reason: "host" | "origin" | "proxy";
  readonly message: string;
}

const LOOPBACK_NAMES = new Set(["localhost", "127.0.0.1", "[::1]"]);
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+)(?::(\d{1,5}))?$/;

const PROXY_HEADERS = new Set(["forwarded", "via", "x-real-ip"]);

const HOST_REFUSED: LocalRefusal = {
  reason: "host",
  message:
    "Without keys this server answers only under localhost, 127.0.0.1 and [::1] with its own port. Use one of them, add the name to " +
    "the setting names (--name), or turn keys on.",
};

const ORIGIN_REFUSED: LocalRefusal = {
  reason: "origin",
  message:
    "Without keys this server answers only pages of its own. Add the page's origin to the setting origins (--origin), or turn keys on.",
};

const PROXY_REFUSED: LocalRefusal = {
  reason: "proxy",
  message:
    "Without keys this server does not answer behind a proxy, whose visitors would all be admins. Turn keys on (--keys on), or call the " +
    "server directly, by HTTP/1.1.",
};

/** Whether a server bound to this host is reached from this machine alone. Paths of Unix sockets are. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, "");
  return (
    name === "localhost" ||
    name === "::1" ||
    name.startsWith("/") ||
    /^(?:::ffff:)?127(?:\.(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3}$/.test(name)
  );
}

/** Whether requests must show keys: where it is not configured, as soon as the server is reached from elsewhere. */
export function needsKeys(host: string, configured?: boolean): boolean {
  return configured ?? !isLoopback(host);
}

/** The two ends of a connection, as far as they are known: Unix sockets and tests have no ports. */
export type Ends = Partial<Pick<Socket, "localPort" | "remoteAddress">>;

type LocalRequest = Pick<IncomingMessage, "method" | "headers" | "httpVersion">;

/** Looks at requests without keys; undefined means come in. */
export function localDoor({
  hosts = [],
  origins = [],
}: LocalOptions = {}): (request: LocalRequest, ends: Ends) => LocalRefusal | undefined {
  const names = new Set(hosts.map((host) => host.toLowerCase()));
  const welcome = new Set(origins);
  return ({ method, headers, httpVersion }, ends) => {
    const host = headers.host?.toLowerCase();
    const parts = host === undefined ? null : HOST.exec(host);
    if (host === undefined || parts === null) return HOST_REFUSED;
    const [, name, port = "80"] = parts;
    const own = LOOPBACK_NAMES.has(name) && isHere(Number(port), ends);
    if (!own && !names.has(host) && !names.has(name)) return HOST_REFUSED;
    if (httpVersion === "1.0" || isForwarded(headers)) return PROXY_REFUSED;

    const { origin } = headers;
    if (origin !== undefined) {
      if (welcome.has(origin)) return undefined;
      return origin === `http://${host}` || origin === `https://${host}` ? undefined : ORIGIN_REFUSED;
    }
    return headers["sec-fetch-site"] === "cross-site" && !isVisit(method, headers) ? ORIGIN_REFUSED : undefined;
  };
}

/** "localhost" is only true of this port, and of someone who is here. */
function isHere(port: number, { localPort, remoteAddress }: Ends): boolean {
  return (localPort === undefined || localPort === port) && (remoteAddress === undefined || isLoopback(remoteAddress));
}

function isForwarded(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (PROXY_HEADERS.has(name) || name.startsWith("x-forwarded-")) return true;
  return false;
}

/** Someone followed a link to us: the answer goes to a page of its own, which the page they came from cannot read. */
function isVisit(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
}
