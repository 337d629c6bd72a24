// Vectors of texts, so that a text is encoded once, whatever happens to the server or its model.
import { createHash } from "node:crypto";
import { NearkinError } from "@nearkin/core";
import { checkId } from "./checks.ts";
import type { SqlDatabase } from "./database.ts";
import { insertRows } from "./rows.ts";

export interface VectorStore {
  /** The vectors of these texts by an encoder (name and version); null for those it has not. */
  get(encoder: string, texts: readonly string[]): Promise<(Float32Array | null)[]>;
  /** Keeps the vectors of texts, in their order. What is there already stays. */
  put(encoder: string, texts: readonly string[], vectors: readonly Float32Array[]): Promise<void>;
}

/** Texts per query: few enough that a busy store answers others between. */
const TEXTS_PER_QUERY = 500;

export function vectorStore(database: SqlDatabase): VectorStore {
  return {
    async get(encoder, texts) {
      checkId("an encoder", encoder);
      const hashes = texts.map(hashOf);
      const wanted = [...new Set(hashes)];
      const found = new Map<string, Float32Array>();
      for (let from = 0; from < wanted.length; from += TEXTS_PER_QUERY) {
        const some = wanted.slice(from, from + TEXTS_PER_QUERY);
        const places = some.map((_, i) => `$${i + 2}`).join(", ");
        const sql = `SELECT text_hash, vector FROM nearkin.text_vectors WHERE encoder = $1 AND text_hash IN (${places})`;
        const [rows] = await database.run([{ sql, values: [encoder, ...some] }]);
        for (const { text_hash, vector } of rows) found.set(text_hash as string, toFloats(vector as Uint8Array));
      }
      return hashes.map((hash) => found.get(hash) ?? null);
    },

    async put(encoder, texts, vectors) {
      checkId("an encoder", encoder);
      if (texts.length !== vectors.length) {
        throw new NearkinError("SHAPE_MISMATCH", `store: ${texts.length} texts with ${vectors.length} vectors`);
      }
      if (texts.length === 0) return;
      const rows = new Map(texts.map((text, i) => [hashOf(text), toBytes(vectors[i])]));
      // Sorted, so that two who put the same texts wait for each other and not both for ever.
      const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([hash, bytes]) => [encoder, hash, bytes]);
      await database.run(
        insertRows(
          (values) => `INSERT INTO nearkin.text_vectors VALUES ${values} ON CONFLICT (encoder, text_hash) DO NOTHING`,
          sorted,
        ),
      );
    },
  };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Little-endian, as every machine that Node runs on has them. */
function toBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

function toFloats(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}
