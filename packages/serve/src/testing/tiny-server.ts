// A server on a small model, for tests: real wiring, a store in a temporary folder, a toy text encoder, requests without a port. Every answer is held
// against the contract.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorSchema, type RouteAnswer, type RouteName, routes } from "@nearkin/client/contract";
import { createEngine, encodeModel, type ModelParts } from "@nearkin/core";
import { type TinyModelOptions, tinyModel, toyEncode } from "@nearkin/core/testing";
import type { Encoder } from "@nearkin/data/encoders";
import { createServer, type NearkinServer, type ServeOptions } from "../server.ts";
import type { Place } from "./places.ts";
import { writeTinyResults } from "./tiny-results.ts";

/** Writes a model that nobody trained. */
export async function writeTinyModel(
  folder: string,
  options: TinyModelOptions & { change?: (parts: ModelParts) => ModelParts } = {},
): Promise<ModelParts> {
  await using engine = await createEngine({ workers: 1 });
  const { change = (parts: ModelParts) => parts, ...rest } = options;
  const parts = change(tinyModel(engine, rest));
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of await encodeModel(parts)) writeFileSync(join(folder, name), bytes);
  return parts;
}

/** The encoder of the tiny model, as slow as wanted. */
export function toyEncoder(delay: () => number = () => 0): Encoder {
  const close = async () => {};
  return {
    name: "toy",
    model: "toy",
    dimensions: 6,
    async encode(texts) {
      await new Promise((resolve) => setTimeout(resolve, delay()));
      const vectors = await toyEncode(texts, "toy");
      return Float32Array.from(vectors.flatMap((vector) => [...vector]));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export interface Answered<Name extends RouteName> {
  readonly status: number;
  /** Of a 2xx, as the contract has it. */
  readonly answer: RouteAnswer<Name>;
  /** Of any other. */
  readonly error: { code: string; message: string; field?: string; nearest?: { id: string; title: string | null }[] };
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface Request {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | readonly string[]>>;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** Path and query of a request. */
export function pathOf(name: RouteName, { params = {}, query = {} }: Request): string {
  const path = routes[name].path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key]));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) =>
      (typeof value === "string" ? [value] : value).map((one) => [key, one] as [string, string]),
    ),
  );
  return search.size > 0 ? `${path}?${search}` : path;
}

/** An answer, held against the contract. */
export function answeredAs<Name extends RouteName>(
  name: Name,
  { status, headers, text }: Pick<Answered<Name>, "status" | "headers" | "text">,
): Answered<Name> {
  const parsed = /json/.test(String(headers["content-type"])) ? JSON.parse(text) : text;
  const ok = status < 300;
  return {
    status,
    answer: ok ? (routes[name].response.parse(parsed) as RouteAnswer<Name>) : (undefined as never),
    error: ok ? (undefined as never) : (errorSchema.parse(parsed).error as Answered<Name>["error"]),
    headers,
    text,
  };
}

export interface TinyServerOptions extends Partial<Omit<ServeOptions, "models" | "store" | "storeOptions">> {
  /** Folders by name, each with a tiny model. @default one, films */
  folders?: Readonly<Record<string, TinyModelOptions>>;
  /** Where its store is. @default a file beside the models */
  place?: Place;
}

export class TinyServer implements AsyncDisposable {
  readonly folder: string;
  server!: NearkinServer;
  /** Of every request, such as a key. */
  headers: Readonly<Record<string, string>> = {};
  readonly #options: Partial<ServeOptions>;

  private constructor(folder: string, options: Partial<ServeOptions>) {
    this.folder = folder;
    this.#options = options;
  }

  static async open({ folders = { films: {} }, place, ...rest }: TinyServerOptions = {}): Promise<TinyServer> {
    const stored = place ? { store: place.location, storeOptions: place.options } : {};
    const tiny = new TinyServer(mkdtempSync(join(tmpdir(), "nearkin-serve-")), { ...stored, ...rest });
    for (const [name, model] of Object.entries(folders)) await writeTinyModel(join(tiny.folder, "models", name), model);
    writeTinyResults(join(tiny.folder, "results"));
    await tiny.start();
    return tiny;
  }

  /** Starts, again after `stop`, on what is in the folder. */
  async start(): Promise<void> {
    this.server = await createServer({
      models: [join(this.folder, "models")],
      store: join(this.folder, "nearkin.db"),
      results: join(this.folder, "results"),
      log: "silent",
      threads: 1,
      spareItems: 500,
      refreshDelay: 10,
      openEncoder: async () => toyEncoder(),
      ...this.#options,
    });
  }

  stop(): Promise<void> {
    return this.server.close();
  }

  async ask<Name extends RouteName>(name: Name, request: Request = {}): Promise<Answered<Name>> {
    const { body, headers = {} } = request;
    const response = await this.server.app.inject({
      method: routes[name].method,
      url: pathOf(name, request),
      headers: { host: "localhost", ...this.headers, ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    return answeredAs(name, { status: response.statusCode, headers: response.headers, text: response.body });
  }

  /** The answer of a request that must succeed. */
  async answer<Name extends RouteName>(name: Name, request: Request = {}): Promise<RouteAnswer<Name>> {
    const { status, answer, text } = await this.ask(name, request);
    if (status >= 300) throw new Error(`${name} was answered ${status}: ${text}`);
    return answer;
  }

  /** Every page of a list, one after the other. */
  async *pages<Name extends RouteName>(
    name: Name,
    { query, ...request }: Request,
    cursor: "cursor" | "after",
  ): AsyncGenerator<RouteAnswer<Name>> {
    for (let next: string | null = ""; next !== null; ) {
      const page = await this.answer(name, {
        ...request,
        query: { ...query, ...(next === "" ? {} : { [cursor]: next }) },
      });
      yield page;
      ({ next } = page as { next: string | null });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
