// The folder of results that a server was given. It is read anew whenever somebody asks, so that a new evaluation is there at once; what a file
// holds is looked at again only where the file has changed.
import { type Dirent, statSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type RouteAnswer, routes } from "@nearkin/client/contract";
import { NearkinError } from "@nearkin/core";
import { ApiError } from "../http/api-error.ts";
import { Recent } from "../recent.ts";
import { datasetOf, parseResults } from "./formats.ts";
import { reportPolicy } from "./report-policy.ts";

const LARGEST_RESULT = 8 * 2 ** 20; // bytes
const LARGEST_REPORT = 32 * 2 ** 20; // bytes
const MOST = 200; // files, the newest
const MAX_POLICIES = 200; // kept in memory

type Listed = RouteAnswer<"listEvaluations">["evaluations"][number];
type Contents = Pick<Listed, "kind" | "dataset" | "model" | "problem">;

const resultName = routes.getEvaluation.params.shape.name;

/** A page, and the Content-Security-Policy that it is sent with. */
interface Report {
  readonly html: string;
  readonly policy: string;
}

interface Found {
  readonly name: string;
  readonly time: number;
  readonly bytes: number;
  readonly report: string | null;
}

export class ResultsFolder {
  readonly #path: string;
  /** By name; what was read, and of which file. */
  #known = new Map<string, { key: string; contents: Contents }>();
  /** By name, time of the last change and size: a policy takes hashes over the whole page. */
  readonly #policies = new Recent<string, string>(MAX_POLICIES);

  /** @param path a folder; one that is not there is a `BAD_CONFIG` */
  constructor(path: string) {
    this.#path = resolve(path);
    if (statSync(this.#path, { throwIfNoEntry: false })?.isDirectory()) return;
    throw new NearkinError(
      "BAD_CONFIG",
      `results: ${path} is no folder; name one that nearkin evaluate --out writes to`,
    );
  }

  /** The newest first. A file that cannot be read is among them, with what is wrong with it. */
  async list(): Promise<Listed[]> {
    const found = (await this.#found()).sort((a, b) => b.time - a.time || (a.name < b.name ? -1 : 1)).slice(0, MOST);
    const known = new Map<string, { key: string; contents: Contents }>();
    const listed: Listed[] = [];
    for (const file of found) {
      const key = `${file.time} ${file.bytes}`;
      const before = this.#known.get(file.name);
      const contents = before?.key === key ? before.contents : await this.#contentsOf(file);
      known.set(file.name, { key, contents });
      listed.push({ ...file, ...contents });
    }
    this.#known = known;
    return listed;
  }

  async get(name: string): Promise<RouteAnswer<"getEvaluation">> {
    const file = (await this.#found()).find((one) => one.name === name);
    if (!file) throw unknown(name);
    const read = await this.#read(file);
    if ("problem" in read) throw new ApiError("BAD_RESULT", read.problem);
    return { ...file, ...read.results };
  }

  /** The page beside a result, as it is. */
  async report(name: string): Promise<Report> {
    const file = (await this.#found()).find((one) => one.name === name);
    if (!file || file.report === null) throw unknown(name);
    const path = join(this.#path, `${name}.html`);
    const { size, ctimeMs } = await stat(path).catch(gone);
    if (size > LARGEST_REPORT) throw new ApiError("BAD_RESULT", tooLarge(`${name}.html`, size, LARGEST_REPORT));
    const html = await readFile(path, "utf8").catch(gone);
    const key = `${name} ${ctimeMs} ${size}`;
    const policy = this.#policies.get(key) ?? reportPolicy(html);
    this.#policies.set(key, policy);
    return { html, policy };

    function gone(cause: unknown): never {
      throw unknown(name, { cause });
    }
  }

  /** Files by the names in the folder, and by nothing that a caller says: no path can lead out of it, and links are not followed. */
  async #found(): Promise<Found[]> {
    const entries = await readdir(this.#path, { withFileTypes: true }).catch((): Dirent[] => []);
    const files = new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.name));
    const names = [...files]
      .filter((file) => file.endsWith(".json") && !file.startsWith("."))
      .map((file) => file.slice(0, -".json".length))
      .filter((name) => resultName.safeParse(name).success);
    const found = await Promise.all(
      names.map(async (name) => {
        const { mtimeMs, size } = (await stat(join(this.#path, `${name}.json`)).catch(() => undefined)) ?? {};
        if (mtimeMs === undefined || size === undefined) return []; // gone meanwhile
        const report = files.has(`${name}.html`) ? `/reports/${encodeURIComponent(name)}` : null;
        return [{ name, time: Math.round(mtimeMs), bytes: size, report }];
      }),
    );
    return found.flat();
  }

  async #contentsOf(file: Found): Promise<Contents> {
    const read = await this.#read(file);
    if ("problem" in read) return { kind: null, dataset: null, model: null, problem: read.problem };
    const { kind, model } = read.results;
    return { kind, dataset: datasetOf(read.results), model, problem: null };
  }

  async #read({ name, bytes }: Found): Promise<ReturnType<typeof parseResults>> {
    const file = `${name}.json`;
    if (bytes > LARGEST_RESULT) return { problem: tooLarge(file, bytes, LARGEST_RESULT) };
    const text = await readFile(join(this.#path, file), "utf8").catch((cause: NodeJS.ErrnoException) => cause);
    if (typeof text !== "string") return { problem: `${file} cannot be read (${text.code})` };
    const read = parseResults(text);
    return "problem" in read ? { problem: `${file}: ${read.problem}` } : read;
  }
}

const tooLarge = (file: string, bytes: number, most: number): string =>
  `${file} has ${bytes.toLocaleString("en")} bytes, more than the ${most.toLocaleString("en")} that are read`;

const unknown = (name: string, options?: ErrorOptions): ApiError =>
  new ApiError("UNKNOWN_RESULT", `there is no result, or no page of it, called "${name.slice(0, 80)}"`, options);
