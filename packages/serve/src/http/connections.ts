// Connection limits: how many the server has at once, and how many from one address, so that a single client cannot hold all of them.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { addressBlock } from "../access/rate-limit.ts";

export interface ConnectionLimits {
  /** Connections at once; further ones are dropped. @default 4096 */
  most?: number;
  /** Connections at once from one IPv4 address or IPv6 /64. @default a quarter of `most` */
  mostPerAddress?: number | undefined;
  /** Addresses without a limit of their own: proxies, which bring many clients. @default none */
  isProxy?: (address: string) => boolean;
  onRefused?: (reason: "address" | "all") => void;
}

/** Limits the connections of a server. Returns a function that tells if more than half of them are taken. */
export function limitConnections(
  server: Server,
  {
    most = 4096,
    mostPerAddress = Math.ceil(most / 4),
    isProxy = () => false,
    onRefused = () => {},
  }: ConnectionLimits = {},
): () => boolean {
  const byAddress = new Map<string, number>();
  let open = 0;
  server.maxConnections = most;
  server.on("drop", () => onRefused("all"));
  // before the listener that reads requests
  server.prependListener("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    open++;
    if (remoteAddress === undefined || isProxy(remoteAddress)) {
      socket.once("close", () => open--);
      return;
    }
    const address = addressBlock(remoteAddress);
    const before = byAddress.get(address) ?? 0;
    byAddress.set(address, before + 1);
    socket.once("close", () => {
      open--;
      const left = (byAddress.get(address) ?? 1) - 1;
      if (left === 0) byAddress.delete(address);
      else byAddress.set(address, left);
    });
    if (before < mostPerAddress) return;
    onRefused("address");
    socket.destroy();
  });
  return () => open > most / 2;
}
