// The beginning of a file, unpacked where it is a gzip file: enough to tell what it is without reading all of it.
import { closeSync, openSync, readSync } from "node:fs";
import { constants, gunzipSync } from "node:zlib";

/** The first bytes of a file's content: at most `bytes` of them on disk. A damaged gzip file gives none. */
export function peekBytes(path: string, bytes = 1 << 16): Buffer {
  const buffer = Buffer.alloc(bytes);
  const file = openSync(path, "r");
  let length = 0;
  try {
    length = readSync(file, buffer, 0, bytes, 0);
  } finally {
    closeSync(file);
  }
  const head = buffer.subarray(0, length);
  if (!/\.gz$/i.test(path)) return head;
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }); // the end is missing on purpose
  } catch {
    return Buffer.alloc(0);
  }
}

/** The first line, without byte order mark and line end. */
function peekLine(path: string): string {
  const text = peekBytes(path)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
  return /^[^\r\n]*/.exec(text)?.[0] ?? "";
}

/** The header of a file that separates its names by `delimiter` and quotes at most whole ones. */
export function peekHeader(path: string, delimiter: string): string[] {
  return peekLine(path)
    .split(delimiter)
    .map((name) => name.replace(/^"(.*)"$/, "$1"));
}

/** The keys of the first JSON object; none where the first line is not one. A longer line than is read does not count. */
export function peekKeys(path: string): string[] {
  const text = peekBytes(path, 1 << 20)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
  try {
    const value: unknown = JSON.parse(/^[^\r\n]*/.exec(text.trimStart())?.[0] ?? "");
    return value !== null && typeof value === "object" && !Array.isArray(value) ? Object.keys(value) : [];
  } catch {
    return [];
  }
}
