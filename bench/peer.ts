// A contender in a process of its own, driven line by line so that its runs interleave with the others'.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export type Answer = Record<string, unknown>;

export interface Peer {
  /** What it said of itself on start. */
  about: Record<string, unknown>;
  /** Times in ms of one request (see the programs), or undefined where it cannot do it. */
  ask(request: Record<string, unknown>): Promise<number[] | undefined>;
  /** All of its answer. */
  answer(request: Record<string, unknown>): Promise<Answer | undefined>;
  close(): void;
}

/** Starts a peer; undefined, and a line on standard error, where it cannot run. */
export async function startPeer(
  name: string,
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Peer | undefined> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "ignore"],
  }) as unknown as ChildProcessWithoutNullStreams;
  const gone = new Promise<undefined>((resolve) => {
    child.once("error", () => resolve(undefined));
    child.once("exit", () => resolve(undefined));
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async (): Promise<Record<string, unknown> | undefined> => {
    const line = await Promise.race([lines.next(), gone]);
    return line && !line.done ? (JSON.parse(line.value) as Record<string, unknown>) : undefined;
  };
  const about = await read();
  if (!about?.ready) {
    process.stderr.write(`${name} takes no part: ${String(about?.reason ?? `${command} did not start`)}\n`);
    child.kill();
    return undefined;
  }
  const answer = async (request: Record<string, unknown>) => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return read();
  };
  return {
    about,
    async ask(request) {
      return (await answer(request))?.ms as number[] | undefined;
    },
    answer,
    close: () => child.stdin.end(),
  };
}
