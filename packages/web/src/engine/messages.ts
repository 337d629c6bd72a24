// What is said between the page and its worker.
import type { modelCalls } from "./model-calls.ts";

type Calls = typeof modelCalls;

/** The worker's calls as the page makes them: without the model, and with a promise. */
export type WorkerCalls = {
  readonly [Name in keyof Calls]: Calls[Name] extends (model: infer _, ...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

/** The first message: the files of the model, by name. */
interface OpenRequest {
  readonly number: number;
  readonly open: ReadonlyMap<string, ArrayBuffer>;
}

interface CallRequest {
  readonly number: number;
  readonly call: keyof Calls;
  readonly args: readonly unknown[];
}

export type Request = OpenRequest | CallRequest;

/** Errors lose their class on the way: what is said of them is kept. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

export type Reply =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly failure: Failure };
