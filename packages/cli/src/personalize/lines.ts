// JSON lines through a pipe or a file, one at a time: memory does not grow with their number.
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { NearkinError } from "@nearkin/core";
import { type Output, processOutput } from "../output.ts";

/** Lines of a file, or of standard input for "-"; empty ones are left out, their numbers are not given away. */
export async function* readLines(path: string): AsyncGenerator<{ text: string; line: number }> {
  const input = path === "-" ? process.stdin : createReadStream(path);
  const failed = new Promise<never>((_, reject) => {
    input.once("error", (cause: Error) =>
      reject(new NearkinError("BAD_ARGUMENT", `--in: ${path} cannot be read: ${cause.message}`, { cause })),
    );
  });
  failed.catch(() => {}); // whoever reads hears of it below
  const lines = createInterface({ input, crlfDelay: Infinity })[Symbol.asyncIterator]();
  for (let line = 1; ; line++) {
    const next = await Promise.race([lines.next(), failed]);
    if (next.done) break;
    if (next.value.trim() !== "") yield { text: next.value, line };
  }
  await Promise.race([failed, new Promise((turn) => setImmediate(turn))]); // a file that could not be opened ends like an empty one
}

/** Writes to standard output no faster than it is read. */
export async function writeLine(output: Output, line: string): Promise<void> {
  output.write(line);
  if (output === processOutput && process.stdout.writableNeedDrain) await once(process.stdout, "drain");
}
