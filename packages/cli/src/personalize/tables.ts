// The file that was asked for: JSON lines or Parquet. It appears whole, or not at all.
import { open, rename, rm } from "node:fs/promises";
import { extname } from "node:path";
import { NearkinError } from "@nearkin/core";
import { ParquetWriter } from "@nearkin/data";
import { PRIVATE } from "../export/out-file.ts";
import { isRefusal, type UserAnswer, type UserRefusal } from "./user-line.ts";

export interface Table extends AsyncDisposable {
  append(answer: UserAnswer | UserRefusal): Promise<void>;
  finish(): Promise<void>;
}

/** How a table is written, by the name of its file. */
export function tableKind(out: string): ".parquet" | ".jsonl" {
  const kind = extname(out).toLowerCase();
  if (kind === ".parquet" || kind === ".jsonl") return kind;
  throw new NearkinError("BAD_ARGUMENT", `--out: expected a file that ends in .parquet or .jsonl, got ${out}`);
}

export function openTable(out: string, channels: readonly string[]): Promise<Table> {
  return tableKind(out) === ".parquet" ? openParquet(out, channels) : openLines(out);
}

async function openLines(out: string): Promise<Table> {
  const temporary = `${out}.${process.pid}.tmp`;
  const file = await open(temporary, "w", PRIVATE);
  return {
    append: (answer) => file.appendFile(`${JSON.stringify(answer)}\n`),
    async finish() {
      await file.sync();
      await file.close();
      await rename(temporary, out);
    },
    async [Symbol.asyncDispose]() {
      await file.close(); // once more does no harm
      await rm(temporary, { force: true });
    },
  };
}

async function openParquet(out: string, channels: readonly string[]): Promise<Table> {
  const writer = await ParquetWriter.open(
    out,
    [
      { name: "user_id", type: "text" },
      ...channels.map((name) => ({ name: `weight.${name}`, type: "double" as const })),
      { name: "popularity", type: "double" },
      { name: "items", type: "integer" },
      { name: "used", type: "integer" },
      { name: "iterations", type: "integer" },
      { name: "before", type: "double" },
      { name: "after", type: "double" },
      { name: "kept", type: "text" },
      { name: "error", type: "text" },
    ],
    { mode: PRIVATE },
  );
  const row = (answer: UserAnswer | UserRefusal): (string | number | null)[] => {
    if (isRefusal(answer)) {
      const figures = Array<null>(channels.length + 7).fill(null);
      return [answer.user, ...figures, `${answer.error.code}: ${answer.error.message}`];
    }
    const { user, weights, popularity, items, used, iterations, before, after, kept } = answer;
    const own = channels.map((name) => weights[name]);
    return [user, ...own, popularity, items, used, iterations, before, after, kept, null];
  };
  return {
    append: async (answer) => writer.append(row(answer).map((value) => [value])),
    finish: () => writer.finish(),
    [Symbol.asyncDispose]: () => writer.close(),
  };
}
