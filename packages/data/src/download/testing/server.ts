// A file server on the loopback address that can be told to misbehave.
import { existsSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface ServedFile {
  body: Buffer;
  etag?: string;
  lastModified?: string;
  /** Answers requests for a range. @default true */
  ranges?: boolean;
  /** Honours If-Range; without it a range of a newer file is served as if nothing had happened. @default true */
  ifRange?: boolean;
  /** Positions in the file at which the connection is cut, one for each request in turn. */
  cuts?: number[];
  /**
   * The file the client writes to: a cut waits until everything before it has arrived there. What a client has in its
   * buffer when the connection breaks is lost to it, and a test that counts bytes would depend on the weather.
   */
  target?: string;
  /** Goes silent at this position instead of sending on, as often as asked. */
  silentAt?: number;
  /** Does not say how long the body is. */
  chunked?: boolean;
  /** Answers with these statuses first, one for each request in turn. */
  statuses?: number[];
}

export interface TestServer extends AsyncDisposable {
  /** Ends with a slash. */
  readonly url: string;
  /** By name; change it while the server runs. */
  readonly files: Map<string, ServedFile>;
  /** What was asked for: name, and range where there was one. */
  readonly requests: string[];
}

export async function serve(files: Readonly<Record<string, ServedFile>> = {}): Promise<TestServer> {
  const served = new Map(Object.entries(files));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const name = (request.url ?? "/").split("/").at(-1) ?? "";
    const { range } = request.headers;
    requests.push(range ? `${name} ${range}` : name);
    const file = served.get(name);
    if (file) answer(file, request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    files: served,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An address on which nobody listens. */
export async function closedAddress(): Promise<string> {
  await using server = await serve();
  return server.url;
}

function answer(file: ServedFile, request: IncomingMessage, response: ServerResponse): void {
  const status = file.statuses?.shift();
  if (status !== undefined) {
    response.writeHead(status).end();
    return;
  }
  const { body, etag, lastModified } = file;
  if (etag) response.setHeader("etag", etag);
  if (lastModified) response.setHeader("last-modified", lastModified);
  const condition = request.headers["if-range"];
  const same = file.ifRange === false || condition === undefined || condition === etag || condition === lastModified;
  const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? "");
  const start = range && file.ranges !== false && same ? Number(range[1]) : 0;
  if (start >= body.length && start > 0) {
    response.writeHead(416, { "content-range": `bytes */${body.length}` }).end();
    return;
  }
  if (start > 0) response.setHeader("content-range", `bytes ${start}-${body.length - 1}/${body.length}`);
  if (!file.chunked) response.setHeader("content-length", body.length - start);
  response.writeHead(start > 0 ? 206 : 200);
  const cut = file.cuts?.shift();
  const end = cut ?? file.silentAt ?? body.length;
  const piece = body.subarray(start, Math.max(start, end));
  if (cut !== undefined) response.write(piece, () => void cutOff(response, file.target, start + piece.length));
  else if (file.silentAt !== undefined) response.write(piece);
  else response.end(piece);
  response.flushHeaders();
}

async function cutOff(response: ServerResponse, target: string | undefined, bytes: number): Promise<void> {
  const arrived = () => target === undefined || (existsSync(target) && statSync(target).size >= bytes);
  while (!arrived() && !response.destroyed) await sleep(5); // the client leaves, or the server is closed, where it never arrives
  response.socket?.destroy();
}
