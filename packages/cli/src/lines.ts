// Lines through a pipe or a file, one at a time: memory does not grow with their number.
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { NearkinError } from "@nearkin/core";
import { type Output, processOutput } from "./output.ts";

export interface Line {
  /** Without its end, and without a byte-order mark at the start of the file. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** Bytes up to here, its end included. */
  readonly bytes: number;
  /** Whether it has an end: the last line of a file that was cut short has none. */
  readonly whole: boolean;
}

/** Lines end in \n or \r\n and nowhere else: JSON may have any other character in its texts. */
export async function* splitLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let pieces: Uint8Array[] = [];
  let [line, bytes] = [0, 0];
  const next = (whole: boolean): Line => {
    const joined = Buffer.concat(pieces);
    pieces = [];
    line++;
    bytes += joined.length + (whole ? 1 : 0);
    const text = joined.toString("utf8").replace(/\r$/, "");
    return { text: line === 1 ? text.replace(/^\ufeff/, "") : text, line, bytes, whole };
  };
  for await (const chunk of input) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      pieces.push(chunk.subarray(from, to));
      from = to + 1;
      yield next(true);
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  if (pieces.length > 0) yield next(false);
}

const NEWLINE = 10;

/** Lines of a file, or of standard input for "-"; empty ones are left out, their numbers are not given away. */
export async function* readLines(path: string): AsyncGenerator<Line> {
  const input: AsyncIterable<Buffer> = path === "-" ? process.stdin : createReadStream(path);
  try {
    for await (const next of splitLines(input)) if (next.text.trim() !== "") yield next;
  } catch (cause) {
    throw new NearkinError("BAD_ARGUMENT", `--in: ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Writes to standard output no faster than it is read. */
export async function writeLine(output: Output, line: string): Promise<void> {
  output.write(line);
  if (output === processOutput && process.stdout.writableNeedDrain) await once(process.stdout, "drain");
}
