// The command line in a process of its own, as long as it listens.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../packages/cli/bin/nearkin.js", import.meta.url));

export interface Started {
  /** Resolves with the address when it listens; rejects if it ends before. */
  readonly listening: Promise<string>;
  /** Ends it as Ctrl-C does; the exit code. */
  end(): Promise<number | null>;
}

export interface Listening {
  readonly url: string;
  /** Ends it as Ctrl-C does; the exit code. */
  end(): Promise<number | null>;
}

/** Starts `nearkin …` and waits until it listens: see `startNearkin`. */
export async function listenNearkin(args: readonly string[], ready: RegExp): Promise<Listening> {
  const { listening, end } = startNearkin(args, ready);
  return { url: await listening, end };
}

/** Starts `nearkin …`; it listens as soon as what it says matches `ready`, whose first group is the address. */
export function startNearkin(args: readonly string[], ready: RegExp): Started {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit").then(([code]) => code as number | null);
  let said = "";
  const listening = new Promise<string>((resolve, reject) => {
    const listen = (data: Buffer) => {
      said += data;
      const found = ready.exec(said);
      if (found) resolve(found[1]);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    void ended.then((code) => reject(new Error(`nearkin ${args[0]} ended with ${code}:\n${said}`)));
  });
  const end = () => {
    child.kill("SIGINT");
    return ended;
  };
  return { listening, end };
}

/** A port that nobody has just now. */
export async function anyPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
