// Real servers on this machine for tests of the client: one that does as it is told, one that answers by the contract.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describeProblems } from "../src/contract/problems.ts";
import { allRoutes } from "../src/contract/routes.ts";

/** A request as it came. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** An answer; `stall` sends the head and a beginning, and then nothing; `cut` closes the connection. */
export type Reply =
  | "never"
  | "stall"
  | "cut"
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly json: unknown }
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly text: string };

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly Received[];
}

/** A server that answers as `reply` says, given the request and how many came before it. */
export async function serve(reply: (request: Received, place: number) => Reply | Promise<Reply>): Promise<TestServer> {
  const requests: Received[] = [];
  const server = createServer(async (message, response) => {
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part as Buffer);
    const { method = "", url = "", headers } = message;
    const request = { method, url, headers, body: Buffer.concat(parts).toString() };
    requests.push(request);
    send(response, await reply(request, requests.length - 1));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === "never") return;
  if (reply === "cut") {
    response.destroy();
    return;
  }
  if (reply === "stall") {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"items":');
    return;
  }
  const json = "json" in reply;
  response.writeHead(reply.status ?? 200, {
    "content-type": json ? "application/json; charset=utf-8" : "text/html",
    ...reply.headers,
  });
  response.end(json ? JSON.stringify(reply.json) : reply.text);
}

/** An error as the API tells it. */
export function failing(code: string, status: number, more: { headers?: Record<string, string>; error?: object } = {}) {
  const error = { code, message: `${code}, as the test says`, requestId: "r1", ...more.error };
  return { status, headers: more.headers ?? {}, json: { error } };
}

/** The route of a request, by method and path. */
export function routeOf({ method, url }: Received) {
  const steps = url.split("?")[0].split("/");
  const found = allRoutes.filter((route) => {
    const own = route.path.split("/");
    return (
      route.method === method &&
      own.length === steps.length &&
      own.every((step, i) => step[0] === "{" || step === steps[i])
    );
  });
  return found.sort((a, b) => a.path.split("{").length - b.path.split("{").length)[0]; // a fixed step before a parameter
}

/** What a request says, read by the schemas of its route; a request that is not what the contract takes is an error. */
export function readRequest(request: Received) {
  const route = routeOf(request);
  if (!route) throw new Error(`no route is ${request.method} ${request.url}`);
  const [path, search = ""] = request.url.split("?");
  const steps = path.split("/");
  const params = Object.fromEntries(
    route.path
      .split("/")
      .flatMap((step, i) => (step[0] === "{" ? [[step.slice(1, -1), decodeURIComponent(steps[i])]] : [])),
  );
  const texts: Record<string, string | string[]> = {};
  for (const [key, value] of new URLSearchParams(search)) {
    const before = texts[key];
    texts[key] = before === undefined ? value : [before, value].flat();
  }
  const parse = (schema: typeof route.body, value: unknown, part: string): unknown => {
    const { error, data } = schema?.safeParse(value) ?? { data: undefined };
    if (error) throw new Error(`${request.method} ${request.url}: ${describeProblems(error, part).message}`);
    return data;
  };
  return {
    route,
    params: parse(route.params, params, "the path"),
    query: parse(route.querystring, texts, "the query"),
    body: parse(route.body, request.body === "" ? undefined : JSON.parse(request.body), "the body"),
  };
}
