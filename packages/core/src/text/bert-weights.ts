// The weights of a BERT encoder, from Hugging Face's config.json and a safetensors file, into an engine's memory.
// v pieces, w width (384), f inner width of the feed-forward part (1536)
import { NearkinError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import { type FixedRows, fixedRows } from "../linalg/fixed.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { transformerOf } from "../linalg/transformer.ts";
import { decodeSafetensors, HALF_SCALE, halfBits, type Tensor, toFloat32 } from "../model/safetensors.ts";

export interface BertConfig {
  /** v */
  readonly pieces: number;
  /** w */
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** f */
  readonly inner: number;
  /** Most pieces of a text. */
  readonly positions: number;
  /** ε of the LayerNorms. */
  readonly epsilon: number;
}

/** y = x·Wᵀ + b, the weights in fixed point. */
interface Linear {
  readonly weights: FixedRows;
  readonly bias: Matrix;
}

interface Norm {
  readonly gain: Matrix;
  readonly bias: Matrix;
}

interface BertLayer {
  /** [Q K V] (3w, w) */
  readonly attention: Linear;
  /** (w, w) */
  readonly output: Linear;
  readonly outputNorm: Norm;
  /** (f, w) */
  readonly expand: Linear;
  /** (w, f) */
  readonly contract: Linear;
  readonly contractNorm: Norm;
}

export interface BertWeights {
  /** Adds the row of a piece to `out` from `at` on. */
  readonly addPiece: (piece: number, out: Float32Array, at: number) => void;
  /** The row of every place in a text, plus the row of a first sentence (positions, w). */
  readonly places: Float32Array;
  readonly norm: Norm;
  readonly layers: readonly BertLayer[];
}

/** What config.json says. Throws `BAD_FILE` where it describes something else than a BERT that runs here. */
export function readBertConfig(bytes: Uint8Array): BertConfig {
  let file: Record<string, unknown>;
  try {
    file = JSON.parse(new TextDecoder().decode(bytes.slice()));
  } catch (cause) {
    throw new NearkinError("BAD_FILE", "config: it is not JSON; it may be cut short", { cause });
  }
  const expect = (key: string, ...values: unknown[]) => {
    if (!values.includes(file?.[key])) throw badConfig(key, values.filter((value) => value).join(" or "), file?.[key]);
  };
  expect("model_type", "bert");
  expect("hidden_act", "gelu");
  expect("position_embedding_type", "absolute", undefined);
  const count = (key: string): number => {
    const value = file[key];
    if (!Number.isSafeInteger(value) || (value as number) < 1)
      throw badConfig(key, "a whole number of at least 1", value);
    return value as number;
  };
  const epsilon = file.layer_norm_eps;
  if (typeof epsilon !== "number" || !(epsilon >= 0))
    throw badConfig("layer_norm_eps", "a number of at least 0", epsilon);
  const config = {
    pieces: count("vocab_size"),
    width: count("hidden_size"),
    layers: count("num_hidden_layers"),
    heads: count("num_attention_heads"),
    inner: count("intermediate_size"),
    positions: count("max_position_embeddings"),
    epsilon,
  };
  if (config.width % (4 * config.heads) !== 0) {
    throw badConfig("hidden_size", `a multiple of 4 for each of ${config.heads} heads`, config.width);
  }
  return config;
}

/** Reads and packs all weights into `scope`. What `bytes` holds is not needed afterwards, unless it is shared memory. */
export function readBertWeights(engine: Engine, scope: Scope, bytes: Uint8Array, config: BertConfig): BertWeights {
  const { width: w, inner: f } = config;
  const { tensors } = decodeSafetensors(bytes);
  const find = (name: string, ...shape: number[]): Tensor => {
    const tensor = tensors.get(name);
    if (!tensor) throw badWeights(`there is no ${name}`);
    if (`${tensor.shape}` !== `${shape}`) throw badWeights(`${name}: expected shape (${shape}), got (${tensor.shape})`);
    if (tensor.type !== "F16" && tensor.type !== "F32")
      throw badWeights(`${name}: expected F16 or F32, got ${tensor.type}`);
    if (!areFinite(tensor)) throw badWeights(`${name} holds numbers that are not finite`);
    return tensor;
  };
  const vector = (name: string, n: number) => scope.matrix(n, 1, "f32").write(toFloat32(find(name, n)));
  const norm = (name: string): Norm => ({ gain: vector(`${name}.weight`, w), bias: vector(`${name}.bias`, w) });

  /** Several linear maps of the same input as one: their rows below each other. */
  const linear = (names: readonly string[], rows: number, cols: number): Linear => {
    const weights = fixedRows(scope, names.length * rows, cols);
    const bias = scope.matrix(names.length * rows, 1, "f32");
    const work = engine.scope();
    try {
      const W = work.matrix(names.length * rows, cols, "f32");
      for (const [i, name] of names.entries()) {
        W.data.set(toFloat32(find(`${name}.weight`, rows, cols)), W.offset + i * rows * cols);
        bias.view(i * rows, (i + 1) * rows).write(toFloat32(find(`${name}.bias`, rows)));
      }
      transformerOf(engine).quantize(weights, W);
    } finally {
      work.close();
    }
    return { weights, bias };
  };

  const places = toFloat32(find("embeddings.position_embeddings.weight", config.positions, w)).slice();
  const firstSentence = toFloat32(find("embeddings.token_type_embeddings.weight", 2, w));
  for (let i = 0; i < places.length; i++) places[i] += firstSentence[i % w];
  return {
    addPiece: rowAdder(kept(find("embeddings.word_embeddings.weight", config.pieces, w), bytes), w),
    places,
    norm: norm("embeddings.LayerNorm"),
    layers: Array.from({ length: config.layers }, (_, l) => {
      const name = `encoder.layer.${l}`;
      const self = ["query", "key", "value"].map((part) => `${name}.attention.self.${part}`);
      return {
        attention: linear(self, w, w),
        output: linear([`${name}.attention.output.dense`], w, w),
        outputNorm: norm(`${name}.attention.output.LayerNorm`),
        expand: linear([`${name}.intermediate.dense`], f, w),
        contract: linear([`${name}.output.dense`], w, f),
        contractNorm: norm(`${name}.output.LayerNorm`),
      };
    }),
  };
}

/** The tensor in memory of its own, so that the file's can go; shared memory is there for others anyway. */
function kept(tensor: Tensor, file: Uint8Array): Tensor {
  const isShared = typeof SharedArrayBuffer !== "undefined" && file.buffer instanceof SharedArrayBuffer;
  if (isShared || tensor.data.buffer !== file.buffer) return tensor;
  return { ...tensor, data: tensor.data.slice() } as Tensor;
}

/** The table stays as the file has it: F16 is half the memory, and a text needs few of its rows. */
function rowAdder({ type, data }: Tensor, w: number): BertWeights["addPiece"] {
  if (type !== "F16") {
    return (i, out, at) => {
      for (let j = 0; j < w; j++) out[at + j] += Number(data[i * w + j]);
    };
  }
  const bits = new Uint32Array(1);
  const float = new Float32Array(bits.buffer);
  return (i, out, at) => {
    for (let j = 0; j < w; j++) {
      bits[0] = halfBits(data[i * w + j]);
      out[at + j] += float[0] * HALF_SCALE;
    }
  };
}

function areFinite({ type, data }: Tensor): boolean {
  if (type === "F16") {
    for (let i = 0; i < data.length; i++) if ((data[i] & 0x7c00) === 0x7c00) return false;
  } else {
    for (let i = 0; i < data.length; i++) if (!Number.isFinite(Number(data[i]))) return false;
  }
  return true;
}

const badWeights = (text: string) => new NearkinError("BAD_FILE", `weights: ${text}`);
const badConfig = (key: string, expected: string, got: unknown) =>
  new NearkinError("BAD_FILE", `config: ${key} must be ${expected}, got ${JSON.stringify(got)}`);
