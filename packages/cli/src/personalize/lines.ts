// JSON lines through a pipe or a file, one at a time: memory does not grow with their number.
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { NearkinError } from "@nearkin/core";
import { type Output, processOutput } from "../output.ts";

/** Lines of a file, or of standard input for "-"; empty ones are left out, their numbers are not given away. */
export async function* readLines(path: string): AsyncGenerator<{ text: string; line: number }> {
  const input = path === "-" ? process.stdin : createReadStream(path);
  // No promise of a failure is raced with each line: it would keep every one of these races.
  let failure: Error | undefined;
  input.once("error", (cause: Error) => {
    failure = cause;
  });
  let line = 0;
  try {
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      line++;
      if (text.trim() !== "") yield { text, line };
    }
    await new Promise((turn) => setImmediate(turn)); // a file that could not be opened may end like an empty one
    if (failure) throw failure;
  } catch (cause) {
    throw new NearkinError("BAD_ARGUMENT", `--in: ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Writes to standard output no faster than it is read. */
export async function writeLine(output: Output, line: string): Promise<void> {
  output.write(line);
  if (output === processOutput && process.stdout.writableNeedDrain) await once(process.stdout, "drain");
}
