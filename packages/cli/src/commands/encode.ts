// nearkin encode: texts to vectors, as a filter that any batch engine can run, or from file to file.
import { NearkinError } from "@nearkin/core";
import { ParquetWriter } from "@nearkin/data";
import { type Encoder, encodeAll, openCache, openEncoder, parseEncoderSpec } from "@nearkin/data/encoders";
import { Command } from "commander";
import { arrived } from "../encode/arrived.ts";
import { isTextRefusal, readTextLine, type TextRefusal, type TextRequest, vectorLine } from "../encode/text-line.ts";
import { wholeNumber } from "../engine.ts";
import { checkOut, naming, openTextFile } from "../export/out-file.ts";
import { readLines, writeLine } from "../lines.ts";
import type { Output } from "../output.ts";
import { duration, liveLine } from "../progress.ts";
import { InterruptedError, StopSignals } from "../training-stop.ts";

interface EncodeFlags {
  in: string;
  out: string;
  encoder: string;
  threads?: number;
  cache?: string;
}

/** Texts that are encoded together at most: enough for all threads, and soon done. */
const BATCH = 256;
const SHOWN = 3; // refused lines that are named

export function encodeCommand(output: Output): Command {
  return new Command("encode")
    .description("texts to vectors: as a filter, or from file to file")
    .requiredOption("--in <file>", "lines of JSON, each with an id and a text; - is standard input")
    .option("--out <file>", "where vectors go: - is standard output; else a file, .parquet or .jsonl", "-")
    .option("--encoder <name>", "minilm, or hf:<model folder>", "minilm")
    .option(
      "--threads <n>",
      "threads to use; changes no vector (default: the cores there are, at most 8)",
      wholeNumber(1),
    )
    .option(
      "--cache <folder>",
      "with a file: where encoded texts are kept (default: NEARKIN_CACHE, or the user's cache folder)",
    )
    .addHelpText(
      "after",
      `
A line in: {"id": "alien-1979", "text": "The crew of a freighter …"}
A line out: {"id": "alien-1979", "vector": [0.0312, …]}, in the order of the lines in; null for a text that is empty. Numbers read as floats have
the bits that were computed. A line that cannot be read is answered with the reason, and the filter goes on. Answers do not wait for
more lines than have come.

A .parquet file has the columns id and vector: what the encoder vectors:<file> of a nearkin.yaml reads. It appears when all is done, and a run that
was stopped finds in the cache what it had encoded.

Examples:
  $ nearkin encode --in plots.jsonl --out plots.parquet
  $ nearkin encode --in plots.jsonl --out plots.parquet --encoder hf:./models/e5-small
  $ cat plots.jsonl | nearkin encode --in - --out - > vectors.jsonl

Millions of texts: Spark runs the filter on every executor, with the SQL in docs/data.md, "Encoding apart from prepare".`,
    )
    .action((flags: EncodeFlags) => runEncode(flags, output));
}

async function runEncode(flags: EncodeFlags, output: Output): Promise<void> {
  const { threads } = flags;
  const spec = parseEncoderSpec(flags.encoder);
  if (spec.kind === "lsa" || spec.kind === "vectors") {
    const why =
      spec.kind === "lsa" ? "is fitted to all texts of a catalogue by prepare" : "names vectors that were made already";
    throw new NearkinError("BAD_ARGUMENT", `--encoder: ${spec.kind} ${why}; name minilm or hf:<model folder>`);
  }
  const kind = flags.out === "-" ? "-" : await checkOut(flags.out, [".parquet", ".jsonl"]);
  await using encoder = await openEncoder(spec, threads === undefined ? {} : { threads });
  if (kind === "-") await encodeStream(encoder, flags.in, output);
  else await encodeFile(encoder, { ...flags, kind }, output);
}

/** A filter keeps nothing: what it encodes goes on through the pipe. */
async function encodeStream(encoder: Encoder, path: string, output: Output): Promise<void> {
  const started = performance.now();
  let [texts, refused] = [0, 0];
  for await (const lines of arrived(readLines(path), BATCH)) {
    const requests = lines.map(readTextLine);
    const answers = await answersTo(requests, (batch) => encoder.encode(batch), encoder.dimensions);
    texts += requests.length;
    refused += requests.filter(isTextRefusal).length;
    await writeLine(output, answers.map(answerLine).join(""));
  }
  output.log(`${summary(texts, refused, started)}\n`);
}

interface FileFlags extends EncodeFlags {
  kind: ".parquet" | ".jsonl";
}

async function encodeFile(encoder: Encoder, flags: FileFlags, output: Output): Promise<void> {
  const { out, kind } = flags;
  const started = performance.now();
  using stop = new StopSignals();
  const live = liveLine(output);
  live.show("reading texts …");
  const warn = ({ message }: { message: string }) => output.log(`note: ${message}\n`);
  const cache = await openCache(encoder, {
    ...(flags.cache === undefined ? {} : { cache: flags.cache }),
    onWarning: warn,
  });
  const encode = (texts: readonly string[]) => encodeAll(encoder, texts, { cache, signal: stop.signal });
  const known = new Set<string>();
  const refusals: TextRefusal[] = [];
  let [texts, refused] = [0, 0];
  await using table = await naming(out, () => openVectors(out, kind, encoder.dimensions));
  try {
    for await (const lines of arrived(readLines(flags.in), BATCH)) {
      const requests = lines.map((line) => onlyOnce(readTextLine(line), line.line, known));
      const answers = await answersTo(requests, encode, encoder.dimensions);
      await naming(out, () => table.append(answers));
      texts += requests.length;
      for (const one of requests.filter(isTextRefusal)) if (++refused <= SHOWN) refusals.push(one);
      live.now(`${texts.toLocaleString("en")} texts`);
      stop.signal.throwIfAborted();
    }
  } catch (error) {
    if (!stop.caused(error)) throw error;
    throw new InterruptedError("stopped; what was encoded is kept in the cache: run the same command to go on");
  }
  if (texts > 0 && refused === texts) {
    throw new NearkinError("BAD_ARGUMENT", `--in: every line was refused, the first: ${reason(refusals[0])}`);
  }
  await naming(out, () => table.finish());
  live.end(summary(texts, refused, started));
  for (const one of refusals) output.log(`  ${reason(one)}\n`);
  if (refused > SHOWN) output.log(`  and ${(refused - SHOWN).toLocaleString("en")} more\n`);
  output.write(`${out}\n`);
}

/** A file of vectors has each id once: whoever reads it would not know which one counts. */
function onlyOnce(request: TextRequest | TextRefusal, line: number, known: Set<string>): TextRequest | TextRefusal {
  if (isTextRefusal(request)) return request;
  const { id } = request;
  if (known.has(id)) {
    const message = `id ${JSON.stringify(id)} was on an earlier line; keep one line for each id`;
    return { id, line, error: { code: "BAD_VALUE", message } };
  }
  known.add(id);
  return request;
}

/** What becomes of a line: a vector, null for a text without one, or the reason. */
type Answer = { readonly id: string; readonly vector: Float32Array | null } | TextRefusal;

async function answersTo(
  requests: readonly (TextRequest | TextRefusal)[],
  encode: (texts: readonly string[]) => Promise<Float32Array>,
  d: number,
): Promise<Answer[]> {
  const texts = requests.flatMap((request) => (isTextRefusal(request) ? [] : [request.text]));
  const vectors = await encode(texts); // (texts, d)
  let row = 0;
  return requests.map((request) => {
    if (isTextRefusal(request)) return request;
    const vector = vectors.subarray(row * d, ++row * d);
    return { id: request.id, vector: vector.some((value) => value !== 0) ? vector : null };
  });
}

const answerLine = (answer: Answer): string =>
  "error" in answer ? `${JSON.stringify(answer)}\n` : vectorLine(answer.id, answer.vector);

interface VectorFile extends AsyncDisposable {
  append(answers: readonly Answer[]): Promise<void>;
  finish(): Promise<void>;
}

/** Lines keep the refused ones, in their place; a table has no room for reasons. */
async function openVectors(out: string, kind: FileFlags["kind"], dimensions: number): Promise<VectorFile> {
  if (kind === ".jsonl") {
    const file = await openTextFile(out);
    return {
      append: (answers) => file.append(answers.map(answerLine).join("")),
      finish: () => file.finish(),
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  }
  const writer = await ParquetWriter.open(out, [
    { name: "id", type: "text" },
    { name: "vector", type: "vector", dimensions },
  ]);
  return {
    async append(answers) {
      const good = answers.flatMap((answer) => ("error" in answer ? [] : [answer]));
      if (good.length > 0) writer.append([good.map(({ id }) => id), good.map(({ vector }) => vector)]);
    },
    finish: () => writer.finish(),
    [Symbol.asyncDispose]: () => writer.close(),
  };
}

const reason = ({ line, error }: TextRefusal): string => `line ${line}: ${error.code}: ${error.message}`;

function summary(texts: number, refused: number, started: number): string {
  const seconds = duration((performance.now() - started) / 1000);
  return `${texts.toLocaleString("en")} text${texts === 1 ? "" : "s"} in ${seconds}${refused > 0 ? `, ${refused.toLocaleString("en")} of them refused` : ""}`;
}
