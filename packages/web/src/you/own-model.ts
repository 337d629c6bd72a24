// The model that learns the user's metric: always one on this device, whoever answers what is similar. Where the engine has none here, because items
// came or went at the server, the model is opened for this screen; where it is large, when the user says so.
import { computed, effect, signal } from "@preact/signals";
import { downloadModel, listModelFiles } from "../api/model-files.ts";
import { type Problem, problemOf } from "../api/problem.ts";
import { activeModel } from "../engine/active-model.ts";
import { engineProblem, modelInBrowser, whyServer } from "../engine/engine.ts";
import type { WorkerCalls } from "../engine/messages.ts";
import { openHere, SMALL } from "../engine/open-here.ts";
import type { ModelWorker } from "../engine/worker-calls.ts";

export type OwnModel =
  | { readonly state: "waiting" }
  | { readonly state: "ready"; readonly calls: WorkerCalls }
  /** It knows nothing of how users differ. */
  | { readonly state: "impersonal"; readonly name: string }
  /** Not downloaded without asking. */
  | { readonly state: "large"; readonly bytes: number }
  | { readonly state: "failed"; readonly problem: Problem };

/** A model opened for this screen alone. */
interface Opened {
  readonly id: string;
  readonly worker: ModelWorker;
}

const opened = signal<Opened | undefined>(undefined);
const outcome = signal<{ id: string; own: OwnModel } | undefined>(undefined);
let opening: string | undefined;

export const ownModel = computed<OwnModel>(() => {
  const model = activeModel.value;
  if (engineProblem.value) return { state: "failed", problem: engineProblem.value };
  if (!model?.id) return { state: "waiting" };
  if (!model.personalizes) return { state: "impersonal", name: model.name ?? model.folder };
  if (modelInBrowser.value) return { state: "ready", calls: modelInBrowser.value };
  if (opened.value?.id === model.id) return { state: "ready", calls: opened.value.worker.calls };
  return outcome.value?.id === model.id ? outcome.value.own : { state: "waiting" };
});

/** Opens the model where the engine has decided against it. Gives what ends that. */
export function holdModel(): () => void {
  return effect(() => {
    const id = activeModel.value?.id;
    if (!id || !activeModel.value?.personalizes || modelInBrowser.value || whyServer.value === undefined) return;
    if (opened.peek()?.id !== id) void open(id, SMALL);
  });
}

/** Downloads a large model, or tries again. */
export function openAnyway(): void {
  const id = activeModel.peek()?.id;
  if (id) void open(id, Infinity);
}

async function open(id: string, most: number): Promise<void> {
  if (opening === id) return;
  opening = id;
  outcome.value = { id, own: { state: "waiting" } };
  try {
    const files = await listModelFiles(id);
    if (files.bytes > most) {
      outcome.value = { id, own: { state: "large", bytes: files.bytes } };
      return;
    }
    const worker = await openHere(await downloadModel(files));
    opened.peek()?.worker.close();
    opened.value = { id, worker };
  } catch (error) {
    outcome.value = { id, own: { state: "failed", problem: problemOf(error) } };
  } finally {
    opening = undefined;
  }
}
