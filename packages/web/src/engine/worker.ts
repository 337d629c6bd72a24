// The worker that holds the model, so that no question ever stops the page.
import { type Model, openModel } from "@nearkin/core";
import type { Failure, Reply, Request } from "./messages.ts";
import { modelCalls } from "./model-calls.ts";

/** The page's side. */
const page = globalThis as unknown as MessagePort;

let model: Promise<Model> | undefined;

page.addEventListener("message", async ({ data }: MessageEvent<Request>) => {
  const { number } = data;
  try {
    page.postMessage({ number, value: await answer(data) } satisfies Reply);
  } catch (error) {
    page.postMessage({ number, failure: failureOf(error) } satisfies Reply);
  }
});

async function answer(request: Request): Promise<unknown> {
  if ("open" in request) {
    model = openModel(async (name) => bytesOf(request.open, name));
    await model;
    return undefined;
  }
  if (!model) throw new Error("the model was not opened yet");
  const call = modelCalls[request.call] as (model: Model, ...args: readonly unknown[]) => unknown;
  return call(await model, ...request.args);
}

function bytesOf(files: ReadonlyMap<string, ArrayBuffer>, name: string): Uint8Array {
  const buffer = files.get(name);
  if (!buffer) throw new Error(`${name} was not downloaded`);
  return new Uint8Array(buffer);
}

function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  return { code: error instanceof Error && "code" in error ? String(error.code) : "UNEXPECTED", message };
}
