import { once } from "node:events";
import { createServer } from "node:net";
import { NearkinError } from "@nearkin/core";

const TRIED = 50;

/** The first port from here up that nobody listens on, under either of this machine's own addresses: a browser may try both. */
export async function freePort(from: number): Promise<number> {
  for (let port = from; port < Math.min(from + TRIED, 65_536); port++) {
    if ((await isFree(port, "127.0.0.1")) && (await isFree(port, "::1"))) return port;
  }
  throw new NearkinError("BAD_ARGUMENT", `--port: none of the ${TRIED} ports from ${from} up is free; name another`);
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EADDRINUSE"; // a machine without IPv6 has nobody there
  } finally {
    server.close();
  }
}
