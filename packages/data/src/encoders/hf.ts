// Any sentence model that @huggingface/transformers can run, from a folder on this machine. Nothing is ever downloaded.
//
// Texts go through the model one by one: a batch would be padded to its longest text, and a matrix product of another shape may
// round otherwise, so a text's vector would depend on its neighbours. The runtime uses all cores for one text.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";
import { NearkinError } from "@nearkin/core";
import { cacheFolder } from "./cache-folder.ts";
import { type Encoder, isBlank, writeUnit } from "./encoder.ts";

const PACKAGE: string = "@huggingface/transformers"; // a variable: neither compiler nor bundler may look for it
const INSTALL = `npm install ${PACKAGE}@4`;

/** Precisions by preference, with the file each has in `onnx/`. */
const FILES = {
  fp32: "model.onnx",
  fp16: "model_fp16.onnx",
  q8: "model_quantized.onnx",
  int8: "model_int8.onnx",
  uint8: "model_uint8.onnx",
  q4: "model_q4.onnx",
} as const;

/** Precision of an ONNX file. */
export type HfPrecision = keyof typeof FILES;

export interface HfOptions {
  /** Which of the folder's ONNX files to use. @default the first there is of fp32, fp16, q8, int8, uint8, q4 */
  precision?: HfPrecision;
  /** Where models are looked up by name. @default NEARKIN_MODELS, or `models` in the cache folder */
  models?: string;
  /** What relative paths start from. @default the working directory */
  base?: string;
}

interface HfTensor {
  type: string;
  dims: number[];
  data: Float32Array | BigInt64Array;
  to(type: "float32"): HfTensor;
}

interface HfModel {
  (inputs: Record<string, HfTensor>): Promise<Record<string, HfTensor>>;
  config: { max_position_embeddings?: number };
  dispose(): Promise<unknown>;
}

interface HfTokenizer {
  (text: string): Record<string, HfTensor>;
  model_max_length?: number;
}

/** The little of @huggingface/transformers that is used. */
export interface Transformers {
  env: { version: string; allowRemoteModels: boolean; allowLocalModels: boolean };
  AutoModel: { from_pretrained(folder: string, options: object): Promise<HfModel> };
  Tensor: new (type: string, data: HfTensor["data"], dims: number[]) => HfTensor;
  AutoTokenizer: { from_pretrained(folder: string, options: object): Promise<HfTokenizer> };
}

/**
 * Opens a model folder: `config.json`, `tokenizer.json`, `tokenizer_config.json` and `onnx/model.onnx`. A vector is the mean of the last
 * hidden states over the attention mask, scaled to norm 1. Throws `ENCODER_UNAVAILABLE` where folder or package is missing.
 *
 * @param model a path (`./models/my-model`), or a name looked up in the working directory and in the models folder
 * @param load replaced in tests
 */
export async function openHf(
  model: string,
  options: HfOptions = {},
  load: () => Promise<Transformers> = () => import(PACKAGE),
): Promise<Encoder> {
  const folder = await findFolder(model, options);
  const precision = await choosePrecision(model, folder, options.precision);
  const transformers = await loadPackage(load);
  // Both are for the whole process: whoever wants downloads elsewhere in it must switch them on again, knowing what that means here.
  transformers.env.allowRemoteModels = false;
  transformers.env.allowLocalModels = true;
  const local = { local_files_only: true };
  const [tokenizer, network] = await Promise.all([
    transformers.AutoTokenizer.from_pretrained(folder, local),
    transformers.AutoModel.from_pretrained(folder, { ...local, dtype: precision, device: "cpu" }),
  ]).catch((cause: Error) => {
    throw unavailable(model, `${folder} does not load (${cause.message.split("\n")[0]})`, cause);
  });
  const longest = Math.min(tokenizer.model_max_length ?? Infinity, network.config.max_position_embeddings ?? Infinity);
  const suffix = suffixLength(tokenizer);
  let dimensions = 0; // the first text will tell

  /** Tokens of a text, cut in front of the closing special tokens; the tokenizer's own truncation would cut those off. */
  function tokenize(text: string): Record<string, HfTensor> {
    const inputs = tokenizer(text);
    const length = inputs.input_ids.dims[1];
    if (length <= longest) return inputs;
    const cut = ({ type, data }: HfTensor) => {
      const kept = data.slice(0, longest);
      for (let t = longest - suffix; t < longest; t++) kept[t] = data[length - longest + t];
      return new transformers.Tensor(type, kept, [1, longest]);
    };
    return Object.fromEntries(Object.entries(inputs).map(([name, tensor]) => [name, cut(tensor)]));
  }

  /** Sum of the hidden states under the mask, in float64; the scale does not matter to a vector of norm 1. */
  async function pool(text: string): Promise<Float64Array> {
    const inputs = tokenize(text);
    if (inputs.input_ids.dims[1] === 0) return new Float64Array(dimensions); // a text of which the tokenizer keeps nothing
    const outputs = await network(inputs);
    const hidden = (outputs.last_hidden_state ?? outputs.token_embeddings)?.to("float32");
    if (hidden?.dims.length !== 3) {
      const names = Object.keys(outputs).join(", ");
      throw unavailable(model, `${folder} is no encoder: expected an output last_hidden_state, got ${names}`);
    }
    const [, length, d] = hidden.dims; // (1, length, d)
    const { data } = hidden;
    const mask = inputs.attention_mask.data;
    const sum = new Float64Array(d);
    for (let t = 0; t < length; t++) {
      if (Number(mask[t]) === 0) continue;
      for (let j = 0; j < d; j++) sum[j] += Number(data[t * d + j]);
    }
    return sum;
  }

  dimensions = (await pool("a")).length;
  const name = `hf:${basename(folder)}`;
  const weights = await fingerprint(folder, FILES[precision]);
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await network.dispose();
  };
  return {
    name,
    model: `${basename(folder)}+${precision}+sha256-${weights}+transformers-${transformers.env.version}`,
    dimensions,
    async encode(texts, { signal, onProgress } = {}) {
      const out = new Float32Array(texts.length * dimensions); // (n, d)
      let done = 0;
      for (const [i, text] of texts.entries()) {
        if (isBlank(text)) continue;
        signal?.throwIfAborted();
        if (closed) throw new NearkinError("ENGINE_CLOSED", `${name}: the encoder is closed; open a new one`);
        writeUnit(out, i * dimensions, await pool(text));
        done++;
        onProgress?.(done);
      }
      return out;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** How many special tokens close a text: what follows the common beginning of an empty text and another one. */
function suffixLength(tokenizer: HfTokenizer): number {
  const [empty, other] = ["", "a"].map((text) => tokenizer(text).input_ids.data);
  let prefix = 0;
  while (prefix < empty.length && empty[prefix] === other[prefix]) prefix++;
  return empty.length - prefix;
}

async function findFolder(model: string, { base = process.cwd(), models }: HfOptions): Promise<string> {
  const isPath = isAbsolute(model) || /^\.{1,2}([/\\]|$)/.test(model);
  const looked = [resolve(base, model)];
  if (!isPath) looked.push(join(models ?? process.env.NEARKIN_MODELS ?? join(cacheFolder(), "models"), model));
  for (const folder of looked) {
    if ((await list(folder)).includes("config.json")) return folder;
  }
  throw unavailable(model, `no config.json in ${looked.join(" or ")}`);
}

async function choosePrecision(model: string, folder: string, wanted?: HfPrecision): Promise<HfPrecision> {
  const present = await list(join(folder, "onnx"));
  const candidates = wanted ? [wanted] : (Object.keys(FILES) as HfPrecision[]);
  const found = candidates.find((precision) => present.includes(FILES[precision]));
  if (found) return found;
  const names = candidates.map((precision) => FILES[precision]).join(", ");
  throw unavailable(model, `${join(folder, "onnx")} has no ${names}`);
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return []; // not there, or not to be read: the caller says where it looked
  }
}

async function loadPackage(load: () => Promise<Transformers>): Promise<Transformers> {
  try {
    return await load();
  } catch (cause) {
    const [reason] = (cause as Error).message.split("\n");
    throw new NearkinError(
      "ENCODER_UNAVAILABLE",
      `hf: ${PACKAGE} is not installed (${reason}); run ${INSTALL}, or choose the encoder minilm or lsa, which do without`,
      { cause },
    );
  }
}

/** Of everything that decides a vector: the model's settings, its tokenizer and the ONNX file with its external data. */
async function fingerprint(folder: string, onnx: string): Promise<string> {
  const settings = (await list(folder)).filter((file) => /\.(json|txt|model)$/.test(file));
  const weights = (await list(join(folder, "onnx"))).filter((file) => file.startsWith(onnx));
  const hash = createHash("sha256");
  for (const file of [...settings.sort(), ...weights.sort().map((name) => join("onnx", name))]) {
    const content = createHash("sha256");
    for await (const piece of createReadStream(join(folder, file))) content.update(piece);
    hash.update(`${file.replaceAll("\\", "/")} ${content.digest("hex")}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

function unavailable(model: string, problem: string, cause?: unknown): NearkinError {
  return new NearkinError(
    "ENCODER_UNAVAILABLE",
    `hf:${model}: ${problem}; models are never downloaded: put the model's folder (config.json, tokenizer.json, onnx/model.onnx) there, or choose the encoder minilm or lsa`,
    { cause },
  );
}
