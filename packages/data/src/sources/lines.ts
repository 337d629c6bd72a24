// Where in its file a record stands. DuckDB numbers records; people look for lines, and the two part ways at quoted line ends, blank
// lines and rejected records. This pass runs only over files that have something to report.
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import type { SourceFile } from "./files.ts";

const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;

export interface Layout {
  /** Bytes between cells. */
  delimiter: string;
  /** One byte, or "" for none. */
  quote: string;
  /** Header lines to pass over. */
  header: number;
  /** A line of nothing but spaces is no record. @default false */
  spacesAreBlank?: boolean;
}

/**
 * Lines (counted from 1) of records of one text file.
 * @param wanted numbers of records, counted from 0 among those accepted, ascending
 * @param rejected byte positions, ascending, at which records begin that DuckDB did not accept
 */
export async function findLines(
  file: SourceFile,
  layout: Layout,
  wanted: readonly number[],
  rejected: readonly number[],
): Promise<{ wanted: number[]; rejected: number[] }> {
  const scanner = new RecordScanner(layout, wanted, rejected);
  const stream = createReadStream(file.path, { highWaterMark: 1 << 20 });
  const bytes = file.gzip ? stream.pipe(createGunzip()) : stream;
  for await (const chunk of bytes) scanner.scan(chunk as Uint8Array);
  scanner.end();
  return { wanted: scanner.wantedLines, rejected: scanner.rejectedLines };
}

/** Follows records byte by byte: a quote opens only at the start of a cell, as in RFC 4180. */
class RecordScanner {
  readonly wantedLines: number[] = [];
  readonly rejectedLines: number[] = [];
  readonly #delimiter: Uint8Array;
  readonly #quote: number;
  readonly #wanted: readonly number[];
  readonly #rejected: readonly number[];
  readonly #spacesAreBlank: boolean;
  #toSkip: number;
  #position = 0; // in bytes
  #line = 1;
  #accepted = 0; // records so far
  #recordStart = 0;
  #recordLine = 1;
  #blank = true;
  #cellStart = true;
  #quoted = false;
  #matched = 0; // bytes of the delimiter so far

  constructor(layout: Layout, wanted: readonly number[], rejected: readonly number[]) {
    this.#delimiter = new TextEncoder().encode(layout.delimiter);
    this.#quote = layout.quote === "" ? -1 : layout.quote.charCodeAt(0);
    this.#spacesAreBlank = layout.spacesAreBlank ?? false;
    this.#toSkip = layout.header;
    this.#wanted = wanted;
    this.#rejected = rejected;
  }

  scan(chunk: Uint8Array): void {
    for (let k = 0; k < chunk.length; k++) {
      const byte = chunk[k];
      if (this.#returned && byte !== NEWLINE) this.#endLine(); // a return alone ends a line too
      this.#returned = byte === RETURN;
      if (byte === NEWLINE) {
        this.#position++;
        this.#endLine();
        continue;
      } else if (this.#quoted) {
        if (byte === this.#quote) this.#quoted = false; // a doubled quote opens again at once, below
      } else if (byte === this.#quote && (this.#cellStart || this.#closedJustNow(chunk, k))) {
        this.#quoted = true;
        this.#blank = false;
        this.#cellStart = false;
      } else if (byte !== RETURN) {
        if (byte !== SPACE || !this.#spacesAreBlank) this.#blank = false;
        this.#matched =
          byte === this.#delimiter[this.#matched] ? this.#matched + 1 : byte === this.#delimiter[0] ? 1 : 0;
        this.#cellStart = this.#matched === this.#delimiter.length;
        if (this.#cellStart) this.#matched = 0;
      }
      this.#position++;
    }
    this.#previous = chunk[chunk.length - 1];
  }

  #previous = -1;
  #returned = false;

  /** The line ends before the present position; the record does too, unless a quote is open. */
  #endLine(): void {
    this.#line++;
    if (!this.#quoted) this.#endRecord(this.#position);
  }

  /** A quote right behind a quote is an escaped one. */
  #closedJustNow(chunk: Uint8Array, k: number): boolean {
    return (k > 0 ? chunk[k - 1] : this.#previous) === this.#quote;
  }

  end(): void {
    if (this.#position > this.#recordStart) this.#endRecord(this.#position);
  }

  #endRecord(next: number): void {
    const { length } = this.rejectedLines;
    const rejected = this.#rejected[length];
    // A rejected record may be reported from its first byte or from the line end before it.
    if (rejected !== undefined && rejected < next) this.rejectedLines.push(this.#recordLine);
    else if (this.#toSkip > 0 && !this.#blank) this.#toSkip--;
    else if (!this.#blank) {
      if (this.#wanted[this.wantedLines.length] === this.#accepted) this.wantedLines.push(this.#recordLine);
      this.#accepted++;
    }
    this.#recordStart = next;
    this.#recordLine = this.#line;
    this.#blank = true;
    this.#cellStart = true;
    this.#quoted = false;
    this.#matched = 0;
  }
}
