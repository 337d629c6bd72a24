// BERT's forward pass (Devlin et al., 2019) over several texts at once. Their pieces lie one after another, without padding: products go
// over all rows, attention stays within a text, and every row is computed as if it were alone.
// n pieces in all, w width, f inner width
import type { Engine } from "../linalg/engine.ts";
import { fixedRows } from "../linalg/fixed.ts";
import type { Matrix } from "../linalg/matrix.ts";
import type { Transformer } from "../linalg/transformer.ts";
import type { BertConfig, BertWeights } from "./bert-weights.ts";

/** Texts, as the numbers of their pieces. */
export interface PieceBatch {
  /** Text i has pieces starts_i … starts_{i+1}; one more than there are texts. */
  readonly starts: Int32Array;
  readonly pieces: Int32Array;
  texts: number;
}

/** A model in an engine's memory. */
export interface Bert {
  readonly engine: Engine;
  readonly transformer: Transformer;
  readonly config: BertConfig;
  readonly weights: BertWeights;
}

/** Calls `read` with the last layer's rows (n, w), which live as long as the call. Matrices come from a scope that is recycled. */
export function bertForward(bert: Bert, batch: PieceBatch, read: (X: Matrix) => void): void {
  const { engine, transformer, weights } = bert;
  const { width: w, inner: f, heads, epsilon } = bert.config;
  const n = batch.starts[batch.texts];
  const scope = engine.scope();
  try {
    const starts = scope.indices(batch.texts + 1);
    for (let i = 0; i <= batch.texts; i++) starts.data[starts.offset + i] = batch.starts[i];
    const X = scope.matrix(n, w, "f32");
    const QKV = scope.matrix(n, 3 * w, "f32");
    const context = scope.matrix(n, w, "f32");
    const inner = scope.matrix(n, f, "f32");
    const fixed = fixedRows(scope, n, w);
    const fixedInner = fixedRows(scope, n, f);
    const residual = { bias: X, plus: X }; // y = W·x + b + what went in

    lookUp(X, weights, batch);
    transformer.layerNorm(X, X, weights.norm.gain, weights.norm.bias, epsilon);
    for (const layer of weights.layers) {
      transformer.quantize(fixed, X);
      transformer.multiplyFixed(QKV, fixed, layer.attention.weights, layer.attention);
      transformer.attention(context, QKV, heads, starts);
      transformer.quantize(fixed, context);
      residual.bias = layer.output.bias;
      transformer.multiplyFixed(context, fixed, layer.output.weights, residual);
      transformer.layerNorm(X, context, layer.outputNorm.gain, layer.outputNorm.bias, epsilon);

      transformer.quantize(fixed, X);
      transformer.multiplyFixed(inner, fixed, layer.expand.weights, layer.expand);
      transformer.gelu(inner, inner);
      transformer.quantize(fixedInner, inner);
      residual.bias = layer.contract.bias;
      transformer.multiplyFixed(context, fixedInner, layer.contract.weights, residual);
      transformer.layerNorm(X, context, layer.contractNorm.gain, layer.contractNorm.bias, epsilon);
    }
    read(X);
  } finally {
    scope.close();
  }
}

/** x_i = the row of piece i + the row of its place in the text. */
function lookUp(X: Matrix, { places, addPiece }: BertWeights, { pieces, starts, texts }: PieceBatch): void {
  const { offset, cols: w } = X;
  const data = X.data as Float32Array;
  for (let text = 0; text < texts; text++) {
    for (let i = starts[text]; i < starts[text + 1]; i++) {
      const at = offset + i * w;
      const place = (i - starts[text]) * w;
      for (let j = 0; j < w; j++) data[at + j] = places[place + j];
      addPiece(pieces[i], data, at);
    }
  }
}
