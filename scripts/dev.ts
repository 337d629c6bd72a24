// npm run dev: the page and a server on the sample, for work on both. A change of the page's sources shows in the browser at once; a change of
// any other package starts the server again, then reloads the page. One Ctrl-C ends all.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { createServer as createSocket } from "node:net";
import { join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createServer, type ViteDevServer } from "vite";

const DEFAULT_PORT = 5173;
const DEBOUNCE_MS = 200; // an editor may write a file in several steps
const POLL_MS = 100;

const USAGE = `npm run dev -- [options]

Serves the page with its sources, and a server on the built-in sample behind it. Both follow changes of the sources. The sample and a model of it
are made once, in .cache/dev: some two minutes.

Options:
  --port <n>     port of the page (default: ${DEFAULT_PORT})
  --fresh        make the sample and its model anew
  --help         this text
`;

const root = fileURLToPath(new URL("..", import.meta.url));
const cli = join(root, "packages/cli/bin/nearkin.js");
const cache = join(root, ".cache/dev");

/** An error of whoever typed the command, not of the program. */
class UsageError extends Error {}

interface DevOptions {
  port: number;
  fresh: boolean;
  help: boolean;
}

export function parseOptions(args: readonly string[]): DevOptions {
  const options = {
    port: { type: "string", default: String(DEFAULT_PORT) },
    fresh: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  } as const;
  try {
    const { port, fresh, help } = parseArgs({ args: [...args], options }).values;
    if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
      throw new Error(`--port: expected a whole number from 1 to 65535, got "${port}"`);
    return { port: Number(port), fresh, help };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Checks that a port can be opened, and returns it; for 0, a free one. Nothing holds it afterwards. */
export async function probePort(port: number): Promise<number> {
  const socket = createSocket().listen(port, "localhost");
  await once(socket, "listening").catch((cause) => {
    const next = port < 65_535 ? port + 1 : DEFAULT_PORT;
    const why = cause.code === "EADDRINUSE" ? "is taken" : `cannot be used (${cause.code})`;
    throw new Error(`port ${port} ${why}; choose another: npm run dev -- --port ${next}`, { cause });
  });
  const { port: opened } = socket.address() as { port: number };
  socket.close();
  await once(socket, "close");
  return opened;
}

/** Makes dataset, models, results and users of the sample, unless they are there. */
async function makeSample(fresh: boolean): Promise<void> {
  if (fresh) rmSync(cache, { recursive: true, force: true });
  if (existsSync(join(cache, "demo.json"))) return;
  console.log("making the sample and its model in .cache/dev, this once …");
  const port = String(await probePort(0));
  const child = spawn(process.execPath, [cli, "demo", "--out", cache, "--check", "--no-page", "--port", port], {
    cwd: root,
    stdio: "inherit",
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the sample was not made: nearkin demo ended with ${code}`);
}

/** The API's server in a process of its own, which is started again when sources change. */
class ApiServer {
  readonly url: string;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;

  constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`;
    const at = (name: string) => join(cache, name);
    const store = ["--store", at("users.db"), "--results", at("results")];
    this.#args = [
      "serve",
      at("model"),
      at("model-split"),
      ...store,
      "--port",
      String(port),
      "--no-page",
      "--log",
      "warn",
    ];
  }

  /** Starts the server; resolves when it answers, or when it has ended. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [cli, ...this.#args], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    this.#child = child;
    child.once("exit", (code) => {
      if (child === this.#child && code !== 0)
        console.error(`the server ended with ${code}; it starts again when a source changes`);
    });
    while (
      isRunning(child) &&
      !(await fetch(`${this.url}/healthz`)
        .then(({ ok }) => ok)
        .catch(() => false))
    )
      await pause(POLL_MS);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || !isRunning(child)) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

/** Starts the server again after a change of its sources; changes that come close together count once. */
function restartOnChange(api: ApiServer, page: ViteDevServer): void {
  const rooms = readdirSync(join(root, "packages")).filter((name) => name !== "web");
  page.watcher.add(rooms.flatMap((name) => ["src", "sql"].map((part) => join(root, "packages", name, part))));
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  const restart = async (file: string): Promise<void> => {
    console.log(`${file} changed: starting the server again`);
    await api.stop();
    await api.start();
    page.ws.send({ type: "full-reload" });
  };
  page.watcher.on("all", (event, path) => {
    const file = relative(root, path);
    if (event === "addDir" || event === "unlinkDir" || !isServerSource(file)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      last = last.then(() => restart(file));
    }, DEBOUNCE_MS);
  });
}

/** Tells if a file is a source that the server runs: not the page's, and not a test's. */
export function isServerSource(file: string): boolean {
  return (
    /^packages\/(?!web\/)[\w-]+\/(?:src|sql)\/.*\.(?:ts|sql|json)$/.test(file) && !/\.test\.ts$|\/testing\//.test(file)
  );
}

async function develop({ port, fresh }: DevOptions): Promise<void> {
  await probePort(port); // before minutes are spent on the sample
  await makeSample(fresh);
  const api = new ApiServer(await probePort(0));
  process.env.NEARKIN_URL = api.url; // vite.config.ts sends the API's paths there
  const page = await createServer({
    configFile: join(root, "packages/web/vite.config.ts"),
    server: { port, strictPort: true },
  });
  const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  try {
    await page.listen();
    await api.start();
    restartOnChange(api, page);
    console.log(`\n  http://localhost:${port}/  the page; it follows packages/web/src`);
    console.log(`  http://localhost:${port}/docs  the API, which follows the other packages\n\nCtrl-C ends both.`);
    await ended;
  } finally {
    await Promise.all([api.stop(), page.close()]);
  }
}

/** Runs a command line; returns the exit code. */
export async function main(args: readonly string[], complain: (text: string) => void = console.error): Promise<number> {
  try {
    const options = parseOptions(args);
    if (options.help) console.log(USAGE);
    else await develop(options);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) complain(`${error.message}\n\n${USAGE}`);
    else complain(`dev: ${(error as Error).message}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
