// One file of cached vectors, named after the hash of its own bytes: a name that fits proves the content.
//   hashes   U8 (n, 32)   SHA-256 of each text's UTF-8 bytes
//   vectors  F32 (n, d)
import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { decodeSafetensors, encodeSafetensors } from "@nearkin/core";

const HASH = 32; // bytes
const LONGEST_HEADER = 2 ** 16; // ours have some 300 bytes

/** The hash of a text as a string of 32 characters, one for each byte: half the memory of hexadecimal digits. */
export const textKey = (text: string): string => createHash("sha256").update(text, "utf8").digest("binary");

const hexHash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The file that holds these vectors, (keys, d). */
export function encodeChunk(
  keys: readonly string[],
  vectors: Float32Array,
  metadata: Readonly<Record<string, string>>,
): { name: string; bytes: Uint8Array } {
  const n = keys.length;
  const hashes = new Uint8Array(n * HASH);
  for (const [i, key] of keys.entries()) hashes.set(Buffer.from(key, "latin1"), i * HASH);
  const bytes = encodeSafetensors(
    {
      hashes: { type: "U8", shape: [n, HASH], data: hashes },
      vectors: { type: "F32", shape: [n, vectors.length / n], data: vectors },
    },
    metadata,
  );
  return { name: `${hexHash(bytes)}.safetensors`, bytes };
}

/** The keys of a file, without its vectors. Throws where the file is not what its header says. */
export async function readChunkKeys(path: string, d: number): Promise<string[]> {
  await using file = await open(path);
  const { size } = await file.stat();
  const read = async (begin: number, length: number) => {
    if (begin + length > size) throw new Error("it is cut short");
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, begin);
    if (bytesRead < length) throw new Error("it is cut short");
    return buffer;
  };
  const headerLength = (await read(0, 8)).readBigUInt64LE();
  if (headerLength > LONGEST_HEADER) throw new Error("its header is damaged");
  const start = 8 + Number(headerLength);
  const { hashes, vectors } = JSON.parse((await read(8, Number(headerLength))).toString());
  const n: number = hashes.shape[0];
  if (`${hashes.shape}` !== `${n},${HASH}` || `${vectors.shape}` !== `${n},${d}`) {
    throw new Error(`expected hashes (n, ${HASH}) and vectors (n, ${d}), got (${hashes.shape}) and (${vectors.shape})`);
  }
  if (size !== start + n * HASH + n * d * 4) throw new Error("it is cut short");
  const bytes = await read(start + hashes.data_offsets[0], n * HASH);
  return Array.from({ length: n }, (_, i) => bytes.toString("latin1", i * HASH, (i + 1) * HASH));
}

/** The vectors of a file, (n, d), once its bytes are proven. */
export async function readChunkVectors(path: string): Promise<Float32Array> {
  const bytes = new Uint8Array(await readFile(path)); // not a Buffer, whose memory may begin anywhere
  if (basename(path) !== `${hexHash(bytes)}.safetensors`)
    throw new Error("its bytes have changed since it was written");
  const vectors = decodeSafetensors(bytes).tensors.get("vectors");
  if (vectors?.type !== "F32") throw new Error("it has no vectors");
  return vectors.data;
}
