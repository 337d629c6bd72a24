// Every user of a dataset, into one file. Answers are appended to <out>.partial as they come, so that a run that was killed goes on where it was;
// the file itself appears whole, at the end.
import { existsSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { type ItemId, type Model, NearkinError, type UserRating } from "@nearkin/core";
import { type Dataset, lastMet, loadItems, loadTraining, loadUsers } from "@nearkin/data";
import { checkOutPath } from "@nearkin/evaluate";
import { PRIVATE } from "../export/out-file.ts";
import { askedUsers } from "./asked.ts";
import type { Answerer } from "./filters.ts";
import { answersIn, type Identity, readAnswers } from "./partial.ts";
import { openTable, tableKind } from "./tables.ts";
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
  /** The first of them, as CODE: message. */
  refusal: string | null;
  /** Lines of the list that named a user once more. */
  repeated: number;
  unknown: UnknownItems;
}

/** Of the users asked about: ratings of items that the model does not know, and these items. */
interface UnknownItems {
  ratings: number;
  items: number;
}

const FLUSH = 200; // users between two writes
const TURN = 50; // milliseconds between two looks at whether somebody wants it to stop

const partialOf = (out: string): string => `${out}.partial`;

/** Whether a run may write to `out`, asked before there is anything to lose. */
export async function checkOut(out: string, { force, resume }: { force: boolean; resume: boolean }): Promise<void> {
  tableKind(out);
  for (const path of [out, partialOf(out)]) await checkOutPath(path);
  if (!existsSync(out) || force) return;
  const partial = partialOf(out);
  const done = resume && !existsSync(partial) ? `, and there is no ${partial} to go on with: that run is done` : "";
  throw new NearkinError(
    "BAD_ARGUMENT",
    `--out: ${out} is there${done}; name another file, or replace it with --force`,
  );
}

export async function personalizeAll(model: Model, dataset: Dataset, options: BatchOptions): Promise<BatchSummary> {
  const { out, signal, onUser } = options;
  const histories = await openHistories(model, dataset);
  const asked = await askedUsers(options.users, histories.users);
  const identity: Identity = {
    model: model.id,
    dataset: dataset.manifest.id,
    users: asked.identity,
    engine: model.engine.info.kind,
  };
  const partial = partialOf(out);
  const done = options.resume ? await answersIn(partial, identity, asked.ids) : 0;
  const file = await open(partial, done > 0 ? "a" : "w", PRIVATE);
  try {
    if (done === 0) await file.appendFile(`${JSON.stringify(identity)}\n`);
    await answerFor(asked.ids.slice(done), file);
    await file.sync();
  } finally {
    await file.close();
  }
  const summary = await finish(model, partial, out);
  await rm(partial, { force: true });
  return { ...summary, repeated: asked.repeated, unknown: histories.unknownTo(asked.ids) };

  async function answerFor(users: readonly string[], to: FileHandle): Promise<void> {
    if (users.length === 0) return;
    await using answerer = options.answererOf(users.length);
    const pending: Promise<UserAnswer | UserRefusal>[] = [];
    let lines: string[] = [];
    const flush = async () => {
      await to.appendFile(lines.join(""));
      lines = [];
    };
    let turned = performance.now();
    try {
      for (let u = 0, next = 0; u < users.length; u++) {
        for (; next < users.length && next < u + answerer.ahead; next++) {
          const answer = ask(answerer, users[next]);
          answer.catch(() => {}); // it is awaited below, in its turn
          pending.push(answer);
        }
        lines.push(`${JSON.stringify(await pending.shift())}\n`);
        onUser(u + 1, users.length);
        if (lines.length >= FLUSH) await flush();
        if (performance.now() - turned > TURN) {
          await new Promise((turn) => setImmediate(turn)); // signals have their turn
          turned = performance.now();
        }
        if (signal.aborted) throw signal.reason;
      }
    } catch (error) {
      await new Promise((turn) => setTimeout(turn, TURN)); // a signal to all processes may end a job before it is heard here
      throw signal.aborted ? signal.reason : error;
    } finally {
      await flush(); // what is done is kept, whatever happened
    }
  }

  async function ask(answerer: Answerer, user: string): Promise<UserAnswer | UserRefusal> {
    const ratings = histories.of(user);
    if (ratings) return answerer.answer({ user, ratings });
    return { user, error: { code: "UNKNOWN_USER", message: `the dataset has no training events of user "${user}"` } };
  }
}

interface UserHistories {
  /** Ids of those who have training events. */
  readonly users: Iterable<string>;
  /** What a user met, as far as the model knows it; undefined for one who is not there. */
  of(user: string): UserRating[] | undefined;
  unknownTo(users: readonly string[]): UnknownItems;
}

/** Items by their ids: a model may be asked about users of a later dataset, whose rows are others. */
async function openHistories(model: Model, dataset: Dataset): Promise<UserHistories> {
  const { ids: itemIds } = await loadItems(dataset);
  const known = Uint8Array.from(itemIds, (id: ItemId) => (model.items.ids.index(id) === undefined ? 0 : 1));
  if (!known.includes(1)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `--dataset: the model ${model.name} knows none of the ${itemIds.length} items of ${dataset.folder}; name the dataset that it was trained on, or a later one of the same catalogue`,
    );
  }
  const { userIndex, starts, items, ratings } = (await loadTraining(dataset)).histories;
  const { ids: userIds } = await loadUsers(dataset);
  const rowOf = new Map(Array.from(userIndex, (user, row) => [userIds[user] as string, row]));
  const rated = dataset.manifest.ratings.kind === "explicit";
  return {
    users: rowOf.keys(),
    of(user) {
      const row = rowOf.get(user);
      if (row === undefined) return undefined;
      const [from, to] = [starts[row], starts[row + 1]];
      return Array.from(lastMet(items.subarray(from, to), ratings.subarray(from, to)))
        .filter(([item]) => known[item] === 1)
        .map(([item, rating]) => ({ item: itemIds[item], ...(rated ? { rating } : {}) }));
    },
    unknownTo(users) {
      if (!known.includes(0)) return { ratings: 0, items: 0 };
      const unknown = new Set<number>();
      let count = 0;
      for (const row of users.map((user) => rowOf.get(user))) {
        if (row === undefined) continue;
        for (let i = starts[row]; i < starts[row + 1]; i++) {
          if (known[items[i]] === 1) continue;
          count++;
          unknown.add(items[i]);
        }
      }
      return { ratings: count, items: unknown.size };
    },
  };
}

/** From the partial file to the one that was asked for. */
async function finish(
  model: Model,
  partial: string,
  out: string,
): Promise<Pick<BatchSummary, "users" | "kept" | "refused" | "refusal">> {
  await using table = await openTable(out, Object.keys(model.weights));
  const summary = { users: 0, kept: 0, refused: 0, refusal: null as string | null };
  for await (const answer of readAnswers(partial)) {
    summary.users++;
    if (isRefusal(answer)) {
      summary.refused++;
      summary.refusal ??= `${answer.error.code}: ${answer.error.message}`;
    } else if (answer.kept !== null) summary.kept++;
    await table.append(answer);
  }
  await table.finish();
  return summary;
}
