import { closeSync, openSync, writeSync } from "node:fs";

/** Writes a file of any size: `writeFileSync` stops at 2 GiB. */
export function writeBytes(path: string, bytes: Uint8Array): void {
  const file = openSync(path, "w");
  try {
    for (let at = 0; at < bytes.byteLength; )
      at += writeSync(file, bytes, at, Math.min(bytes.byteLength - at, 2 ** 30));
  } finally {
    closeSync(file);
  }
}
