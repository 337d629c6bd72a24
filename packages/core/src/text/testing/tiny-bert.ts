// A BERT small enough to follow by hand, as the files it would be published in, and its forward pass as one would write it on paper, in f64.
import { Random } from "../../linalg/random.ts";
import { encodeSafetensors, type Tensor, toFloat32 } from "../../model/safetensors.ts";
import type { MiniLmFiles } from "../minilm.ts";

/** [PAD] … the letters, what goes on, and some whole words. */
const VOCABULARY = [
  ..."[PAD] [UNK] [CLS] [SEP] [MASK] ! , . ' - … 京 東 the cat cats sat mat un ##s ##able ##a ##b ##break hello world σισυφοσ".split(
    " ",
  ),
  ..."abcdefghijklmnopqrstuvwxyz0123456789",
];

const LAYERS = 2;
const HEADS = 2;
const WIDTH = 16;
const INNER = 24;
const POSITIONS = 40;

export const tinyTokenizer = {
  added_tokens: ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].map((content, id) => ({ id, content, special: true })),
  normalizer: {
    type: "BertNormalizer",
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: "BertPreTokenizer" },
  model: {
    type: "WordPiece",
    unk_token: "[UNK]",
    continuing_subword_prefix: "##",
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(VOCABULARY.map((piece, id) => [piece, id])),
  },
};

export const tinyConfig = {
  model_type: "bert",
  hidden_act: "gelu",
  hidden_size: WIDTH,
  intermediate_size: INNER,
  num_hidden_layers: LAYERS,
  num_attention_heads: HEADS,
  max_position_embeddings: POSITIONS,
  vocab_size: VOCABULARY.length,
  layer_norm_eps: 1e-12,
};

export const jsonBytes = (value: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value));

/** Random weights by name; gains near 1. Those of F16 are bit patterns of halves that are exact in f32. */
export function tinyTensors(type: "F16" | "F32", seed = 1): Record<string, Tensor> {
  const random = new Random(seed);
  const tensor = (shape: number[], centre = 0, spread = 0.5): Tensor => {
    const count = shape.reduce((product, size) => product * size, 1);
    const values = Array.from({ length: count }, () => centre + spread * random.normal());
    if (type === "F32") return { type, shape, data: Float32Array.from(values) };
    return { type, shape, data: Uint16Array.from(values, halfOf) };
  };
  const linear = (name: string, rows: number, cols: number) => ({
    [`${name}.weight`]: tensor([rows, cols]),
    [`${name}.bias`]: tensor([rows]),
  });
  const norm = (name: string) => ({ [`${name}.weight`]: tensor([WIDTH], 1, 0.2), [`${name}.bias`]: tensor([WIDTH]) });
  const tensors: Record<string, Tensor> = {
    "embeddings.position_ids": { type: "I64", shape: [1, POSITIONS], data: new BigInt64Array(POSITIONS) },
    "embeddings.word_embeddings.weight": tensor([VOCABULARY.length, WIDTH]),
    "embeddings.position_embeddings.weight": tensor([POSITIONS, WIDTH]),
    "embeddings.token_type_embeddings.weight": tensor([2, WIDTH]),
    ...norm("embeddings.LayerNorm"),
  };
  for (let layer = 0; layer < LAYERS; layer++) {
    const name = `encoder.layer.${layer}`;
    for (const part of ["query", "key", "value"]) {
      Object.assign(tensors, linear(`${name}.attention.self.${part}`, WIDTH, WIDTH));
    }
    Object.assign(
      tensors,
      linear(`${name}.attention.output.dense`, WIDTH, WIDTH),
      norm(`${name}.attention.output.LayerNorm`),
      linear(`${name}.intermediate.dense`, INNER, WIDTH),
      linear(`${name}.output.dense`, WIDTH, INNER),
      norm(`${name}.output.LayerNorm`),
    );
  }
  return tensors;
}

export function tinyFiles(tensors: Record<string, Tensor>): MiniLmFiles {
  return {
    weights: encodeSafetensors(tensors),
    tokenizer: jsonBytes(tinyTokenizer),
    config: jsonBytes(tinyConfig),
  };
}

/** The nearest half, halves of it away from zero; for numbers of ordinary size. */
function halfOf(value: number): number {
  const magnitude = Math.abs(value);
  const exponent = Math.max(-14, Math.floor(Math.log2(magnitude)));
  const steps = Math.round(magnitude / 2 ** (exponent - 10)); // a step is the last bit of the fraction
  return (value < 0 ? 0x8000 : 0) | (steps + (exponent + 14) * 1024);
}

type Rows = number[][];

/** The vector of a text from the numbers of its pieces, step by step in f64. */
export function tinyVector(tensors: Record<string, Tensor>, pieces: readonly number[]): number[] {
  const table = (name: string): Rows => {
    const values = toFloat32(tensors[name]);
    const cols = tensors[name].shape[1] ?? 1;
    return Array.from({ length: values.length / cols }, (_, i) => [...values.subarray(i * cols, (i + 1) * cols)]);
  };
  const vector = (name: string): number[] => table(name).map(([value]) => value);
  const linear = (name: string, X: Rows): Rows => {
    const [W, b] = [table(`${name}.weight`), vector(`${name}.bias`)];
    return X.map((x) => W.map((w, j) => dot(w, x) + b[j]));
  };
  const add = (A: Rows, B: Rows): Rows => A.map((a, i) => a.map((value, j) => value + B[i][j]));
  const norm = (name: string, X: Rows): Rows => {
    const [gain, bias] = [vector(`${name}.weight`), vector(`${name}.bias`)];
    return X.map((x) => {
      const mean = sum(x) / x.length;
      const deviation = Math.sqrt(sum(x.map((value) => (value - mean) ** 2)) / x.length + 1e-12);
      return x.map((value, j) => ((value - mean) / deviation) * gain[j] + bias[j]);
    });
  };
  const attend = (Q: Rows, K: Rows, V: Rows): Rows =>
    Q.map((q) => {
      const exponentials = K.map((k) => Math.exp(dot(q, k) / Math.sqrt(q.length)));
      return V[0].map(
        (_, j) =>
          dot(
            exponentials,
            V.map((v) => v[j]),
          ) / sum(exponentials),
      );
    });

  const [words, places] = [table("embeddings.word_embeddings.weight"), table("embeddings.position_embeddings.weight")];
  const [sentence] = table("embeddings.token_type_embeddings.weight");
  let X: Rows = pieces.map((piece, i) => words[piece].map((value, j) => value + places[i][j] + sentence[j]));
  X = norm("embeddings.LayerNorm", X);
  for (let layer = 0; layer < LAYERS; layer++) {
    const name = `encoder.layer.${layer}`;
    const [Q, K, V] = ["query", "key", "value"].map((part) => linear(`${name}.attention.self.${part}`, X));
    const heads = Array.from({ length: HEADS }, (_, h) => {
      const part = (M: Rows) => M.map((row) => row.slice((h * WIDTH) / HEADS, ((h + 1) * WIDTH) / HEADS));
      return attend(part(Q), part(K), part(V));
    });
    const context = X.map((_, i) => heads.flatMap((head) => head[i]));
    X = norm(`${name}.attention.output.LayerNorm`, add(X, linear(`${name}.attention.output.dense`, context)));
    const inner = linear(`${name}.intermediate.dense`, X).map((row) => row.map(gelu));
    X = norm(`${name}.output.LayerNorm`, add(X, linear(`${name}.output.dense`, inner)));
  }
  const mean = X[0].map((_, j) => sum(X.map((row) => row[j])) / X.length);
  const length = Math.sqrt(dot(mean, mean));
  return mean.map((value) => value / length);
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
const dot = (a: number[], b: number[]): number => a.reduce((total, value, j) => total + value * b[j], 0);

/** x·Φ(x), Φ by Simpson's rule over the density from 0 to x. */
function gelu(x: number): number {
  const n = 400;
  const density = (t: number) => Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI);
  let area = density(0) + density(x);
  for (let i = 1; i < n; i++) area += (i % 2 === 0 ? 2 : 4) * density((i * x) / n);
  return x * (0.5 + ((area / 3) * x) / n);
}
