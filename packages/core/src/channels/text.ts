// Texts: an encoder makes a vector of a text, principal components may shorten it. Two kinds of encoder:
//
//   lsa        fitted here on the training texts (lsa.ts); the transform has all it takes to encode a new text
//   external   a model such as MiniLM, run elsewhere; the transform has its name and width, and takes its vectors
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import { applyLsa, decodeLsa, encodeLsa, fitLsa, type Lsa, type LsaConfig } from "./lsa.ts";
import { checkOut } from "./number.ts";
import { applyPca, decodePca, encodePca, type Pca } from "./pca.ts";
import { prefixed, type Stored, type StoredReader } from "./stored.ts";
import type { TextAbsence } from "./tfidf.ts";
import { checkVectorValue, fitVector, pcaOf } from "./vector.ts";

export interface LsaTextConfig extends LsaConfig {
  /** Reduce the encoder's vectors to so many principal components, or as many as they have. @default no reduction */
  pca?: number;
}

export interface EncodedTextConfig {
  /** Name of the encoder, such as "minilm". */
  encoder: string;
  /** Width of its vectors. */
  dimensions: number;
  /** Reduce them to so many principal components, or as many as they have. @default no reduction */
  pca?: number;
}

export type TextEncoding =
  | { readonly kind: "lsa"; readonly lsa: Lsa }
  | { readonly kind: "external"; readonly name: string; readonly dimensions: number };

export interface TextTransform {
  readonly type: "text";
  readonly encoder: TextEncoding;
  /** Training items with a vector. */
  readonly count: number;
  /** Training items without one: no text, or none with a known word. */
  readonly missing: number;
  /** Fitted on the vectors of the training items. */
  readonly pca?: Pca;
}

/** Learns an LSA encoder, and principal components where asked for, from the training texts. */
export function fitText(
  engine: Engine,
  texts: readonly (string | undefined)[],
  { pca, ...config }: LsaTextConfig = {},
): TextTransform {
  const lsa = fitLsa(engine, texts, config);
  const vectors: Float32Array[] = [];
  let count = 0;
  for (const text of texts) {
    const vector = applyLsa(lsa, text);
    if (typeof vector === "string") continue;
    count++;
    if (pca !== undefined) vectors.push(vector);
  }
  const known = { type: "text", encoder: { kind: "lsa", lsa }, count, missing: texts.length - count } as const;
  return pca === undefined ? known : { ...known, pca: pcaOf(engine, vectors, lsa.dimensions, pca) };
}

/** Learns from the vectors that an external encoder made of the training texts. */
export function fitEncodedText(
  engine: Engine,
  vectors: Iterable<ArrayLike<number> | undefined>,
  { encoder, dimensions, pca }: EncodedTextConfig,
): TextTransform {
  const fitted = fitVector(engine, vectors, { width: dimensions, ...(pca === undefined ? {} : { pca }) });
  return {
    type: "text",
    encoder: { kind: "external", name: encoder, dimensions },
    count: fitted.count,
    missing: fitted.missing,
    ...(fitted.pca ? { pca: fitted.pca } : {}),
  };
}

/** Width of the encoder's vectors. */
function encoderWidth(encoder: TextEncoding): number {
  return encoder.kind === "lsa" ? encoder.lsa.dimensions : encoder.dimensions;
}

/** Width of what the channel makes of a text. */
export function textWidth({ encoder, pca }: TextTransform): number {
  return pca?.dimensions ?? encoderWidth(encoder);
}

/** A text as a channel's input, by the fitted LSA; or why there is none, and then `out` stays as it is. */
export function applyText(
  transform: TextTransform,
  text: string | undefined,
  out = new Float32Array(textWidth(transform)),
): Float32Array | TextAbsence {
  const { encoder, pca } = transform;
  if (encoder.kind === "external") {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `applyText: the encoder "${encoder.name}" runs elsewhere; give its vector to applyTextVector`,
    );
  }
  if (!pca) return applyLsa(encoder.lsa, text, out);
  const vector = applyLsa(encoder.lsa, text);
  return typeof vector === "string" ? vector : applyPca(pca, vector, out);
}

/** The vector that the encoder made of a text as a channel's input; missing gives undefined and leaves `out` as it is. */
export function applyTextVector(
  transform: TextTransform,
  vector: ArrayLike<number> | undefined,
  out = new Float32Array(textWidth(transform)),
): Float32Array | undefined {
  checkOut("applyTextVector", out, textWidth(transform));
  if (vector === undefined) return undefined;
  checkVectorValue(vector, encoderWidth(transform.encoder));
  if (transform.pca) return applyPca(transform.pca, vector, out);
  out.set(vector);
  return out;
}

export function encodeText({ type, encoder, count, missing, pca }: TextTransform): Stored {
  const lsa = encoder.kind === "lsa" ? encodeLsa(encoder.lsa) : undefined;
  const reduced = pca ? encodePca(pca) : undefined;
  return {
    json: {
      type,
      count,
      missing,
      encoder: lsa ? { kind: "lsa", lsa: lsa.json } : (encoder as Exclude<TextEncoding, { kind: "lsa" }>),
      ...(reduced ? { pca: reduced.json } : {}),
    },
    tensors: {
      ...(lsa ? prefixed("encoder.lsa.", lsa.tensors) : {}),
      ...(reduced ? prefixed("pca.", reduced.tensors) : {}),
    },
  };
}

export function decodeText(stored: StoredReader): TextTransform {
  const transform: TextTransform = {
    type: "text",
    encoder: decodeEncoder(stored.part("encoder")),
    count: stored.count("count", 1),
    missing: stored.count("missing"),
    ...(stored.has("pca") ? { pca: decodePca(stored.part("pca")) } : {}),
  };
  if (transform.pca && transform.pca.width !== encoderWidth(transform.encoder)) {
    throw stored.problem(`"pca" is of another width than the encoder`);
  }
  return transform;
}

function decodeEncoder(stored: StoredReader): TextEncoding {
  const kind = stored.text("kind");
  if (kind === "lsa") return { kind, lsa: decodeLsa(stored.part("lsa")) };
  if (kind === "external") return { kind, name: stored.text("name"), dimensions: stored.count("dimensions", 1) };
  throw stored.problem(`the kind is "${kind}"; known are lsa, external`);
}
