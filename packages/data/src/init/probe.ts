// What a file is, by its first bytes: the format, the encoding and the shape that nearkin.yaml must state for it to be read.
import { statSync } from "node:fs";
import { basename } from "node:path";
import { NearkinError } from "@nearkin/core";
import type { SourceConfig } from "../config/schema.ts";
import { peekBytes } from "../layouts/peek.ts";
import { type Format, formatOf } from "../sources/files.ts";
import { textShape } from "./text-shape.ts";

/** The part of a source that says how to read it; only what is not the default. */
export type Reading = Partial<Pick<SourceConfig, "format" | "delimiter" | "quote" | "names" | "encoding">>;

export interface Probe {
  reading: Reading;
  /** Whether the file names its columns; if not, `reading.names` numbers them. */
  named: boolean;
  /** Nothing but ASCII at the beginning: any encoding would do. */
  ascii: boolean;
}

const PEEK = 1 << 18; // bytes

/** Looks at the beginning of a file. What cannot be read is a BAD_SOURCE that says what to do. */
export function probeFile(path: string): Probe {
  const name = basename(path);
  const refuse = (problem: string) => new NearkinError("BAD_SOURCE", `${name} ${problem}`);
  if (statSync(path).size === 0) throw refuse("is empty (0 bytes)");
  const bytes = peekBytes(path, PEEK);
  if (bytes.length === 0) throw refuse("ends in .gz but cannot be unpacked; copy it again");
  const ending = endingFormat(path);
  const stated = (format: Format) => (ending === format ? {} : { format });
  const magic = bytes.subarray(0, 16).toString("latin1");
  if (magic.startsWith("PAR1")) return { reading: stated("parquet"), named: true, ascii: true };
  const foreign = FOREIGN.find(([start]) => magic.startsWith(start));
  if (foreign) throw refuse(foreign[1]);
  const encoding = encodingOf(bytes);
  if (encoding === undefined) throw refuse("is not a text file; give csv, tsv, JSON lines or Parquet");
  const ascii = bytes.every((byte) => byte < 128);
  const text = decode(bytes, encoding).replace(/^\uFEFF/, "");
  const encoded: Reading = encoding === "utf-8" ? {} : { encoding };
  if (/^\s*[[{]/.test(text)) {
    checkJsonLines(text, refuse);
    return { reading: { ...stated("jsonl"), ...encoded }, named: true, ascii };
  }
  const shape = textShape(text, bytes.length >= PEEK);
  if (!shape)
    throw refuse("has one column only, or rows of unequal length; cells are separated by one of , ; | :: and tab");
  const { delimiter, quote, header, width } = shape;
  // An ending that stands for something else than text does not count.
  const format = ending === "csv" || ending === "tsv" ? ending : delimiter === "\t" ? "tsv" : "csv";
  return {
    reading: {
      ...stated(format),
      ...(delimiter === (format === "tsv" ? "\t" : ",") ? {} : { delimiter }),
      ...(quote === '"' ? {} : { quote }),
      ...(header ? {} : { names: Array.from({ length: width }, (_, k) => `column_${k + 1}`) }),
      ...encoded,
    },
    named: header,
    ascii,
  };
}

const FOREIGN: readonly (readonly [start: string, advice: string])[] = [
  ["PK\u0003\u0004", "is a zip archive or a workbook; unpack it, or export its sheets as csv"],
  ["\u001f\u008b", "is packed with gzip but not called .gz; rename it"],
  ["SQLite format 3", "is an SQLite database; export its tables as csv"],
  ["\u0089HDF", "is an HDF5 file; export it as csv or Parquet"],
  ["ARROW1", "is an Arrow file; export it as Parquet"],
];

function endingFormat(path: string): Format | undefined {
  try {
    return formatOf(path, "");
  } catch {
    return undefined;
  }
}

function encodingOf(bytes: Uint8Array): SourceConfig["encoding"] | undefined {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return "utf-16";
  if (bytes.includes(0)) return undefined;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }); // the last letter may be cut
    return "utf-8";
  } catch {
    return "latin-1";
  }
}

function decode(bytes: Uint8Array, encoding: SourceConfig["encoding"]): string {
  const label = encoding === "utf-16" && bytes[0] === 0xfe ? "utf-16be" : encoding.replace("utf-16", "utf-16le");
  return new TextDecoder(label === "latin-1" ? "latin1" : label).decode(bytes);
}

function checkJsonLines(text: string, refuse: (problem: string) => NearkinError): void {
  const advice = "write one object per line, as `jq -c '.[]'` does for an array";
  if (/^\s*\[/.test(text)) throw refuse(`is one JSON array; ${advice}`);
  const [line] = text.trimStart().split("\n", 1);
  if (line.trim() === "{" || !/[}\]",\w]\s*$/.test(line))
    throw refuse(`spreads an object over several lines; ${advice}`);
}
