// MD5 of a file, and the form in which publishers state it. It guards against damage; TLS is what guards against malice.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** MD5 of a whole file, in lower-case hex. */
export async function md5OfFile(path: string, onProgress?: (bytes: number) => void): Promise<string> {
  const hash = createHash("md5");
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    onProgress?.(bytes);
  }
  return hash.digest("hex");
}

/**
 * The sum of `file` in the text of a `.md5` file, `undefined` if there is none. BSD and GNU write it differently,
 * and publishers use both.
 *
 * @example
 * parseMd5("MD5 (a.zip) = D41D8CD98F00B204E9800998ECF8427E", "a.zip") // => "d41d8cd98f00b204e9800998ecf8427e"
 * parseMd5("d41d8cd98f00b204e9800998ecf8427e  a.zip\n", "a.zip") // => "d41d8cd98f00b204e9800998ecf8427e"
 */
export function parseMd5(text: string, file: string): string | undefined {
  for (const line of text.split(/\r?\n/)) {
    const bsd = /^MD5 \((.+)\) = ([0-9a-f]{32})$/i.exec(line.trim());
    const gnu = /^([0-9a-f]{32})(?:\s+\*?(\S.*))?$/i.exec(line.trim());
    const [sum, name] = bsd ? [bsd[2], bsd[1]] : gnu ? [gnu[1], gnu[2]] : [];
    if (sum && (name === undefined || baseName(name) === file)) return sum.toLowerCase();
  }
  return undefined;
}

/** The sum was perhaps made in another folder: only the last part of the path counts. */
function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}
