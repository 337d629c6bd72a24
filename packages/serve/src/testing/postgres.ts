// PostgreSQL for tests: the server that NEARKIN_POSTGRES names, or a private one where its programs are installed (scripts/postgres.sh).
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const script = fileURLToPath(new URL("../../../../scripts/postgres.sh", import.meta.url));
const execute = promisify(execFile);

export interface PrivatePostgres extends AsyncDisposable {
  /** The connection string; the same after a restart. */
  readonly url: string;
  /** Ends it as a crash would; its data stay. */
  crash(): Promise<void>;
  stop(): Promise<void>;
  /** After `crash` or `stop`. */
  start(): Promise<void>;
}

/** Whether a private server can be started here. */
export function hasPostgres(): boolean {
  try {
    execFileSync(script, ["find"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export async function startPostgres(): Promise<PrivatePostgres> {
  const folder = mkdtempSync(join(tmpdir(), "nearkin-postgres-"));
  await chmod(folder, 0o755); // where root starts it, another user runs it
  const start = async () => (await execute(script, ["start", folder])).stdout.trim();
  const stop = async (mode: "fast" | "immediate") => void (await execute(script, ["stop", folder, mode]));
  let running = true;
  const url = await start();
  return {
    url,
    async crash() {
      await stop("immediate");
      running = false;
    },
    async stop() {
      await stop("fast");
      running = false;
    },
    async start() {
      await start();
      running = true;
    },
    async [Symbol.asyncDispose]() {
      if (running) await stop("immediate");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A server for a test file: the one named in the environment, which is left running, or a private one. */
export async function testPostgres(): Promise<{ readonly url: string } & AsyncDisposable> {
  const url = process.env.NEARKIN_POSTGRES;
  return url ? { url, async [Symbol.asyncDispose]() {} } : startPostgres();
}

const reason = " (skipped: neither NEARKIN_POSTGRES nor an installed server)";

/** Behind the titles of tests that need PostgreSQL: why they are skipped. Where everything must be tested, they are not. */
export const noPostgres = process.env.NEARKIN_POSTGRES || process.env.CI || hasPostgres() ? "" : reason;
