// Who answers what is similar. The server at first; a worker of this page as soon as it holds the model, where that is small enough.
import type { ModelInfo } from "@nearkin/client";
import { effect, signal } from "@preact/signals";
import { client } from "../api/client.ts";
import { askAnew } from "../api/loaded.ts";
import { downloadModel, listModelFiles } from "../api/model-files.ts";
import { type Problem, problemOf } from "../api/problem.ts";
import { sessionNumber, tokenUser } from "../api/session.ts";
import { activeModel } from "./active-model.ts";
import type { WorkerCalls } from "./messages.ts";
import type { Similarity } from "./similarity.ts";
import { throughApi } from "./through-api.ts";
import { modelForToken } from "./token-model.ts";
import { type ModelWorker, openInWorker } from "./worker-calls.ts";

const SMALL = 32 * 2 ** 20; // bytes of a model that a page downloads without asking

/** Who answers now. */
export const similarity = signal<Similarity>(throughApi);

/** The worker's calls, for what only a model in the browser can do; undefined where there is none. */
export const modelInBrowser = signal<WorkerCalls | undefined>(undefined);

/** Why the server answers, in words; undefined while that is not decided, and where the browser does. */
export const whyServer = signal<string | undefined>(undefined);

/** Set where the server does not even say which model it has. */
export const engineProblem = signal<Problem | undefined>(undefined);

let worker: ModelWorker | undefined;
let attempt = 0;

/** Begins, and begins again with every session. */
export function startEngine(): void {
  effect(() => {
    sessionNumber.value;
    void openEngine();
  });
}

/** Finds out which model answers, and opens it here if it may: also after another was activated. */
export async function openEngine(): Promise<void> {
  const own = ++attempt;
  const isOld = () => own !== attempt;
  engineProblem.value = undefined;
  try {
    const model = await findModel();
    if (isOld()) return;
    const active = model?.id;
    const before = activeModel.peek();
    activeModel.value = model;
    if (before && before.id !== active) askAnew();
    if (!active || !model) return answerByServer("the server has no active model");
    if (tokenUser.peek() !== undefined) return answerByServer("a token may not see whether items were added");
    if (!globalThis.Worker) return answerByServer("this browser has no workers");
    const reason = await whyNotHere(model.items ?? 0);
    if (isOld()) return;
    if (reason !== undefined) return answerByServer(reason);
    const files = await listModelFiles(active);
    if (isOld()) return;
    if (files.bytes > SMALL) return answerByServer("the model is too large to hold in a page");
    const opened = await openInWorker(
      new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "nearkin" }),
      await downloadModel(files),
    );
    if (isOld()) return opened.close();
    worker?.close();
    worker = opened;
    whyServer.value = undefined;
    modelInBrowser.value = opened.calls;
    similarity.value = { place: "browser", ...callsOf(opened.calls) };
  } catch (error) {
    if (isOld()) return;
    const problem = problemOf(error);
    if (problem.remedy === "sign in") activeModel.value = undefined; // what one may not see is not shown any longer
    if (activeModel.peek() === undefined) engineProblem.value = problem;
    answerByServer(`the model could not be opened here: ${problem.detail ?? problem.title}`);
  }
}

async function findModel(): Promise<ModelInfo | undefined> {
  if (tokenUser.peek() !== undefined) return modelForToken();
  const { models, active } = await client.models.list();
  return models.find(({ id }) => id === active);
}

/** Items that are not in the model's files, or no longer, are the server's to find. */
async function whyNotHere(items: number): Promise<string | undefined> {
  const index = await client.index.get();
  if (index.added > 0) return "items were added since the model was trained";
  return index.items === items ? undefined : "items were deleted since the model was trained";
}

function answerByServer(reason: string): void {
  worker?.close();
  worker = undefined;
  modelInBrowser.value = undefined;
  similarity.value = throughApi;
  whyServer.value = reason;
}

const callsOf = ({ similar, explain, item, search, shelves }: WorkerCalls): Omit<Similarity, "place"> => ({
  similar,
  explain,
  item,
  search,
  shelves,
});
