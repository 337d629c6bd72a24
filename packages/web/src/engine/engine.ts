// Who answers what is similar. The server at first; a worker of this page as soon as it holds the model, where that is small enough.
import { type ModelInfo, NearkinApiError } from "@nearkin/client";
import { batch, effect, signal } from "@preact/signals";
import { client } from "../api/client.ts";
import { askAnew } from "../api/loaded.ts";
import { downloadModel, listModelFiles } from "../api/model-files.ts";
import { type Problem, problemOf } from "../api/problem.ts";
import { sessionNumber, signedIn, tokenUser } from "../api/session.ts";
import { activeModel, answeringModel } from "./active-model.ts";
import { forgetModel, keepModel, keptModel } from "./kept-model.ts";
import type { WorkerCalls } from "./messages.ts";
import { openHere, SMALL } from "./open-here.ts";
import type { Similarity } from "./similarity.ts";
import { throughApi } from "./through-api.ts";
import { modelForToken } from "./token-model.ts";
import type { ModelWorker } from "./worker-calls.ts";

/** Who answers now. */
export const similarity = signal<Similarity>(throughApi);

/** The worker's calls, for what only a model in the browser can do; undefined where there is none. */
export const modelInBrowser = signal<WorkerCalls | undefined>(undefined);

/** Why the server answers, in words; undefined while that is not decided, and where the browser does. */
export const whyServer = signal<string | undefined>(undefined);

/** Set where the server does not even say which model it has. */
export const engineProblem = signal<Problem | undefined>(undefined);

/** Whether the server cannot be reached, and the model is the one that was kept. */
export const withoutServer = signal(false);

let worker: ModelWorker | undefined;
let attempt = 0;

/** Begins, and begins again with every session, and where a server that was gone may be back. */
export function startEngine(): void {
  let wasSignedIn = signedIn.peek();
  effect(() => {
    sessionNumber.value;
    const forgotten = wasSignedIn && !signedIn.peek() ? forgetModel() : undefined;
    wasSignedIn = signedIn.peek();
    void Promise.resolve(forgotten).then(openEngine);
  });
  followServer();
  const again = () => {
    if (withoutServer.peek() && !document.hidden) void openEngine();
  };
  addEventListener("online", again);
  document.addEventListener("visibilitychange", again);
}

const CALM = 5000; // ms between two changes that an answer brings: servers behind one address may differ for a while

/** Where an answer shows that the server has another model by now, the page goes over to it. */
export function followServer(): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return effect(() => {
    const answers = answeringModel.value;
    const known = activeModel.peek()?.id;
    if (answers === undefined || !known || answers === known || performance.now() - last < CALM) return;
    last = performance.now();
    void openEngine();
  });
}

/** Finds out which model answers, and opens it here if it may: also after another was activated. */
export async function openEngine(): Promise<void> {
  const own = ++attempt;
  const isOld = () => own !== attempt;
  engineProblem.value = undefined;
  try {
    if (isCutOff() && (await openKept(isOld))) return;
    const model = await findModel();
    if (isOld()) return;
    withoutServer.value = false;
    const active = model?.id;
    changeTo(model);
    if (!active || !model) return answerByServer("the server has no active model");
    if (tokenUser.peek() !== undefined) return answerByServer("a token may not see whether items were added");
    if (!globalThis.Worker) return answerByServer("this browser has no workers");
    const reason = await whyNotHere(model.items ?? 0);
    if (isOld()) return;
    if (reason !== undefined) return answerByServer(reason);
    const files = await listModelFiles(active);
    if (isOld()) return;
    if (files.bytes > SMALL) return answerByServer("the model is too large to hold in a page");
    const downloaded = await downloadModel(files);
    void keepModel({ info: model, files: new Map(Array.from(downloaded, ([name, bytes]) => [name, bytes.slice(0)])) });
    const opened = await openHere(downloaded);
    if (isOld()) return opened.close();
    answerHere(opened);
  } catch (error) {
    if (isOld()) return;
    if (isGone(error) && (await openKept(isOld))) return;
    if (error instanceof NearkinApiError && error.code === "UNAUTHENTICATED") void forgetModel();
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

/** Whether no request can arrive, so that none is tried. A server on this machine is reached without a network. */
const isCutOff = (): boolean =>
  navigator.onLine === false && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);

/** No answer at all, or one of something that stands before the server. */
const isGone = (error: unknown): boolean =>
  error instanceof NearkinApiError && [0, 502, 503, 504].includes(error.status);

/** The model that was kept, while the server cannot be reached; true where it answers now, or somebody else does. */
async function openKept(isOld: () => boolean): Promise<boolean> {
  if (withoutServer.peek() && worker) return true; // it is open already
  const kept = await keptModel();
  if (!kept || isOld()) return isOld();
  try {
    const opened = await openHere(kept.files);
    if (isOld()) opened.close();
    else {
      activeModel.value = kept.info;
      withoutServer.value = true;
      answerHere(opened);
      askAnew(); // what the server could not answer
    }
    return true;
  } catch {
    await forgetModel(); // of a build that wrote it otherwise, or damaged
    return isOld();
  }
}

/** Items that are not in the model's files, or no longer, are the server's to find. */
async function whyNotHere(items: number): Promise<string | undefined> {
  const index = await client.index.get();
  if (index.added > 0) return "items were added since the model was trained";
  return index.items === items ? undefined : "items were deleted since the model was trained";
}

/** The worker of another model is closed first: what is asked anew must not be answered by it. */
function changeTo(model: ModelInfo | undefined): void {
  const before = activeModel.peek();
  batch(() => {
    activeModel.value = model;
    if (!before || before.id === model?.id) return;
    answerByServer(undefined);
    askAnew();
  });
}

function answerHere(opened: ModelWorker): void {
  worker?.close();
  worker = opened;
  void opened.failed.then((reason) => {
    if (worker === opened) answerByServer(`the model in this page has failed: ${reason}`);
  });
  whyServer.value = undefined;
  modelInBrowser.value = opened.calls;
  similarity.value = { place: "browser", ...callsOf(opened.calls) };
}

/** Without a reason it is not decided yet. */
function answerByServer(reason: string | undefined): void {
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
