// Answers that are no JSON of a schema: files from the disk and pages, with headers of their own.
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { FairQueue, Turn } from "../fair-queue.ts";

/** What a handler gives where its route produces something else than JSON. */
export class OwnAnswer {
  readonly content: string | Uint8Array | StoredFile;
  /** Its own, besides those of every answer; an `etag` is compared with what the caller has. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(content: OwnAnswer["content"], headers: Readonly<Record<string, string>> = {}) {
    this.content = content;
    this.headers = headers;
  }
}

/** A file that is sent as it is read. */
export interface StoredFile {
  readonly path: string;
  readonly bytes: number;
  /** What is thrown where the file is not there, or not as long. */
  readonly problem: (what: string, options?: ErrorOptions) => Error;
  /** Bounds the files that are sent at the same time. */
  readonly queue: FairQueue;
  readonly turn: Turn;
}

/** Sends an answer; to HEAD, its headers alone. */
export async function sendOwn(request: FastifyRequest, reply: FastifyReply, answer: OwnAnswer): Promise<FastifyReply> {
  const { content, headers } = answer;
  if (isKnown(request, headers.etag)) return reply.headers(headers).removeHeader("content-type").code(304).send();
  if (typeof content === "string") return reply.headers(headers).send(content);
  if (content instanceof Uint8Array)
    return reply.headers(headers).send(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
  const send = async () => {
    const body = await openFile(content, request.method === "HEAD");
    return reply.headers(headers).header("content-length", content.bytes).send(body); // resolves when all is sent, or the client has gone
  };
  await content.queue.run(send, content.turn);
  return reply;
}

/** Opened and measured before a byte of the answer goes out: what is missing is told as an error. */
async function openFile({ path, bytes, problem }: StoredFile, headOnly: boolean): Promise<Readable> {
  const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
    throw problem(cause.code === "ENOENT" ? "is not there" : `cannot be read (${cause.code})`, { cause });
  });
  try {
    const { size } = await file.stat();
    if (size !== bytes) throw problem(`has ${size} bytes instead of ${bytes}`);
    if (!headOnly) return file.createReadStream(); // closes the file at its end
    await file.close();
    return Readable.from([]); // a stream, whose length nobody counts
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Whether the caller has these very bytes. */
export function isKnown({ headers }: Pick<FastifyRequest, "headers">, etag: string | undefined): boolean {
  const known = headers["if-none-match"];
  if (known === undefined || etag === undefined) return false;
  return known.split(",").some((one) => one.trim().replace(/^W\//, "") === etag || one.trim() === "*");
}
