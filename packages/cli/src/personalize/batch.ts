// Every user of a dataset, into one file. Answers are appended to <out>.partial as they come, so that a run that was killed goes on where it was;
// the file itself appears whole, at the end.
import { createReadStream, existsSync } from "node:fs";
import { type FileHandle, mkdir, open, readFile, rename, rm, truncate } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { createInterface } from "node:readline";
import { type Model, NearkinError, type UserRating } from "@nearkin/core";
import { type Dataset, type Histories, lastMet, loadTraining, loadUsers, ParquetWriter } from "@nearkin/data";
import type { Answerer } from "./filters.ts";
import { isRefusal, type UserAnswer, type UserRefusal } from "./user-line.ts";

export interface BatchOptions {
  out: string;
  /** "all", or a file with an id on each line. */
  users: string;
  resume: boolean;
  /** Who answers, once it is known for how many; made when there is somebody to answer for. */
  answererOf: (users: number) => Answerer;
  signal: AbortSignal;
  onUser: (done: number, all: number) => void;
}

export interface BatchSummary {
  users: number;
  /** Those who keep the shared metric. */
  kept: number;
  refused: number;
}

/** What a partial file belongs to: its first line. */
interface Identity {
  model: string;
  dataset: string;
  users: string;
}

const FLUSH = 200; // users between two writes

export async function personalizeAll(model: Model, dataset: Dataset, options: BatchOptions): Promise<BatchSummary> {
  const { out, signal, onUser } = options;
  const kind = extname(out).toLowerCase();
  if (kind !== ".parquet" && kind !== ".jsonl") {
    throw new NearkinError("BAD_ARGUMENT", `--out: expected a file that ends in .parquet or .jsonl, got ${out}`);
  }
  const { histories } = await loadTraining(dataset);
  const ids = (await loadUsers(dataset)).ids;
  const rowOf = new Map(Array.from(histories.userIndex, (user, row) => [ids[user] as string, row]));
  const asked = options.users === "all" ? [...rowOf.keys()] : await readIds(options.users);
  const rated = dataset.manifest.ratings.kind === "explicit";
  const identity = { model: model.id, dataset: dataset.manifest.id, users: options.users };
  const partial = `${out}.partial`;
  await mkdir(dirname(out), { recursive: true });
  const done = options.resume ? await wholeLines(partial, identity) : 0;
  const file = await open(partial, done > 0 ? "a" : "w");
  try {
    if (done === 0) await file.appendFile(`${JSON.stringify(identity)}\n`);
    await answerFrom(done, file);
    await file.sync();
  } finally {
    await file.close();
  }
  const summary = await finish(model, { partial, out, kind });
  await rm(partial, { force: true });
  return summary;

  async function answerFrom(first: number, to: FileHandle): Promise<void> {
    if (first === asked.length) return;
    await using answerer = options.answererOf(asked.length - first);
    const pending: Promise<UserAnswer | UserRefusal>[] = [];
    let lines: string[] = [];
    const flush = async () => {
      await to.appendFile(lines.join(""));
      lines = [];
    };
    for (let u = first, next = first; u < asked.length; u++) {
      for (; next < asked.length && next < u + answerer.ahead; next++) {
        const answer = ask(answerer, asked[next]);
        answer.catch(() => {}); // it is awaited below, in its turn
        pending.push(answer);
      }
      lines.push(`${JSON.stringify(await pending.shift())}\n`);
      onUser(u + 1 - first, asked.length - first);
      if (lines.length < FLUSH) continue;
      await flush();
      await new Promise((turn) => setImmediate(turn)); // signals have their turn
      if (signal.aborted) break;
    }
    await flush();
    if (signal.aborted) throw signal.reason;
  }

  async function ask(answerer: Answerer, user: string): Promise<UserAnswer | UserRefusal> {
    const row = rowOf.get(user);
    if (row === undefined) {
      const message = `the dataset has no training events of user "${user}"`;
      return { user, error: { code: "UNKNOWN_USER", message } };
    }
    return answerer.answer({ user, ratings: ratingsOf(model, histories, row, rated) });
  }
}

function ratingsOf(model: Model, { starts, items, ratings }: Histories, row: number, rated: boolean): UserRating[] {
  const [from, to] = [starts[row], starts[row + 1]];
  const met = lastMet(items.subarray(from, to), ratings.subarray(from, to));
  return Array.from(met, ([item, rating]) => ({ item: model.items.at(item).id, ...(rated ? { rating } : {}) }));
}

async function readIds(path: string): Promise<string[]> {
  try {
    return (await readFile(path, "utf8")).split(/\r?\n/).filter((id) => id !== "");
  } catch (cause) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `--users: expected all, or a file with an id on each line; ${path} cannot be read`,
      { cause },
    );
  }
}

/** Users whose answers a partial file holds whole; a last line that was cut short is cut off. */
async function wholeLines(partial: string, identity: Identity): Promise<number> {
  if (!existsSync(partial)) return 0;
  let [lines, bytes] = [0, 0];
  for await (const text of createInterface({ input: createReadStream(partial), crlfDelay: Infinity })) {
    if (!isWhole(text)) break;
    if (lines === 0 && text !== JSON.stringify(identity)) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `--resume: ${partial} is of another model, dataset or list of users; remove it, or leave --resume out`,
      );
    }
    lines++;
    bytes += Buffer.byteLength(text) + 1;
  }
  if (lines === 0) return 0;
  await truncate(partial, bytes);
  return lines - 1;
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** From the partial file to the one that was asked for. */
async function finish(
  model: Model,
  { partial, out, kind }: { partial: string; out: string; kind: ".parquet" | ".jsonl" },
): Promise<BatchSummary> {
  const channels = Object.keys(model.weights);
  await using table = kind === ".parquet" ? await openParquet(out, channels) : await openLines(out);
  const summary = { users: 0, kept: 0, refused: 0 };
  let first = true;
  for await (const text of createInterface({ input: createReadStream(partial), crlfDelay: Infinity })) {
    if (!first) {
      const answer = JSON.parse(text) as UserAnswer | UserRefusal;
      summary.users++;
      if (isRefusal(answer)) summary.refused++;
      else if (answer.kept !== null) summary.kept++;
      await table.append(answer, text);
    }
    first = false; // the identity
  }
  await table.finish();
  return summary;
}

interface Table extends AsyncDisposable {
  append(answer: UserAnswer | UserRefusal, text: string): Promise<void>;
  finish(): Promise<void>;
}

async function openLines(out: string): Promise<Table> {
  const temporary = `${out}.${process.pid}.tmp`;
  const file = await open(temporary, "w");
  return {
    append: async (_, text) => file.appendFile(`${text}\n`),
    async finish() {
      await file.sync();
      await file.close();
      await rename(temporary, out);
    },
    async [Symbol.asyncDispose]() {
      await file.close(); // once more does no harm
      await rm(temporary, { force: true });
    },
  };
}

async function openParquet(out: string, channels: readonly string[]): Promise<Table> {
  const writer = await ParquetWriter.open(out, [
    { name: "user_id", type: "text" },
    ...channels.map((name) => ({ name: `weight.${name}`, type: "double" as const })),
    { name: "popularity", type: "double" },
    { name: "items", type: "integer" },
    { name: "used", type: "integer" },
    { name: "iterations", type: "integer" },
    { name: "before", type: "double" },
    { name: "after", type: "double" },
    { name: "kept", type: "text" },
    { name: "error", type: "text" },
  ]);
  return {
    async append(answer) {
      const row = isRefusal(answer)
        ? [
            answer.user,
            ...channels.map(() => null),
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            `${answer.error.code}: ${answer.error.message}`,
          ]
        : [
            answer.user,
            ...channels.map((name) => answer.weights[name]),
            answer.popularity,
            answer.items,
            answer.used,
            answer.iterations,
            answer.before,
            answer.after,
            answer.kept,
            null,
          ];
      writer.append(row.map((value) => [value]));
    },
    finish: () => writer.finish(),
    [Symbol.asyncDispose]: () => writer.close(),
  };
}
