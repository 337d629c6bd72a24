// How tower outputs become the columns of lifted rows: the same for the catalogue, when a model is made, and for a draft, when it is asked.
import { hostMatrix } from "../linalg/matrix.ts";
import { type EnsembleConfig, ensembleLayout, type Statistics } from "../metric/ensemble.ts";
import { exp } from "../metric/exponential.ts";
import { type Parameters, parameterViews } from "../nn/parameters.ts";
import { type RowLayout, type RowScaling, rowLayout } from "../rank/layout.ts";
import type { ModelParts } from "./parts.ts";

/** The layout of an ensemble's lifted rows. */
export function ensembleRowLayout({ channels }: EnsembleConfig): RowLayout {
  return rowLayout(
    channels.map(({ embeddingSize }) => embeddingSize),
    channels.map(({ input }) => input === "factors"),
  );
}

/** Columns are (z − centre)·λ_j/√s_c; stand-ins have a coordinate of squared length ρ_c/s_c. */
export function ensembleScaling(
  config: EnsembleConfig,
  parameters: Parameters,
  { statistics, centres }: { statistics: Statistics; centres: Float64Array },
): RowScaling {
  const layout = ensembleRowLayout(config);
  const factors = new Float64Array(layout.embeddingSize);
  config.channels.forEach(({ name, embeddingSize }, c) => {
    const logScale = parameters.get(`${name}.scale`); // log λ, where Λ of Eq. 1 is learned
    for (let j = 0; j < embeddingSize; j++) {
      factors[layout.starts[c] + j] = (logScale ? exp(logScale.get(0, j)) : 1) / Math.sqrt(statistics.scales[c]);
    }
  });
  return { centres, factors, lengths: statistics.lengths.map((length, c) => length / statistics.scales[c]) };
}

/** Embeddings (n, e) in the coordinates of lifted rows, not rounded. */
export function scaleEmbeddings({ centres, factors }: RowScaling, embeddings: ArrayLike<number>): Float64Array {
  const e = centres.length;
  return Float64Array.from({ length: embeddings.length }, (_, i) => (embeddings[i] - centres[i % e]) * factors[i % e]);
}

/** The parameters of a stored model by name, on the array that holds them. */
export function storedParameters({ ensemble, parameters }: Pick<ModelParts, "ensemble" | "parameters">): Parameters {
  return parameterViews(ensembleLayout(ensemble), hostMatrix(parameters, parameters.length, 1));
}
