// What the surrogate's Gaussian process expects of items that are in no catalogue, from what is stored of it.
// q drafts, m inducing items, p source channels, k factors
import type { SurrogateSource, SurrogateTransform } from "../channels/surrogate.ts";
import { NearkinError } from "../errors.ts";
import { additiveKernel, additiveParameters, jointAndSingleTerms } from "../gp/additive.ts";
import type { Engine } from "../linalg/engine.ts";
import { hostMatrix } from "../linalg/matrix.ts";
import { type ChannelInput, type ContentInput, isContent } from "./ensemble.ts";
import { distanceTable, placeItems } from "./source-space.ts";

const AT_ONCE = 128; // drafts: their distances to all inducing items, in every source, are in memory

// Products with a single row sum in another order: it is doubled, so that an item has the same numbers, bit for bit, alone and among others.
const LEAST_ROWS = 2;

/**
 * What the process expects of new items, k numbers each, or undefined where none of an item's sources has a value. `inputs` are those of the
 * named channels, as their towers get them, all of the same items. O(q·m·Σd)
 */
export function applySurrogate(
  engine: Engine,
  transform: SurrogateTransform,
  inputs: ReadonlyMap<string, ChannelInput>,
): (Float32Array | undefined)[] {
  const { sources, inducing: m, logWeights, logVariances, beta, width: k } = transform;
  const drafts = sources.map((source) => ({ ...source, input: contentOf(inputs, source) }));
  const count = drafts[0].input.missing.length;
  const known = Int32Array.from({ length: count }, (_, item) => item).filter((item) =>
    drafts.some(({ input }) => input.missing[item] === 0),
  );
  const found = new Array<Float32Array | undefined>(count).fill(undefined);
  if (known.length === 0) return found;
  const terms = jointAndSingleTerms(sources.length);
  const parameters = additiveParameters(terms, [...logWeights, ...logVariances, 0]);
  using scope = engine.scope();
  const b = placeItems(
    scope,
    sources.map((source) => ({ ...source, input: storedInput(source) })),
    Int32Array.from({ length: m }, (_, i) => i),
  );
  const B = scope.matrix(m, k).write(beta);
  for (let from = 0; from < known.length; from += AT_ONCE) {
    const part = known.subarray(from, from + AT_ONCE);
    const rows = Int32Array.from({ length: Math.max(part.length, LEAST_ROWS) }, (_, i) => part[i] ?? part[0]);
    using inner = engine.scope();
    const distances = inner.matrix(rows.length * m, sources.length);
    const a = placeItems(inner, drafts, rows);
    distanceTable(engine, distances, { a, b, same: new Int32Array(rows.length).fill(-1) });
    const K = inner.matrix(rows.length, m);
    additiveKernel(engine, K, { terms, parameters, distances });
    const means = inner.matrix(rows.length, k);
    engine.gemm(means, K, B);
    const numbers = means.read();
    part.forEach((item, i) => {
      found[item] = Float32Array.from(numbers.subarray(i * k, (i + 1) * k));
    });
  }
  return found;
}

function contentOf(inputs: ReadonlyMap<string, ChannelInput>, { name }: SurrogateSource): ContentInput {
  const input = inputs.get(name);
  if (input && isContent(input)) return input;
  throw new NearkinError("BAD_ARGUMENT", `applySurrogate: it looks at the channel ${name}, which is not there`);
}

/** The inducing items in one channel, as they are stored. */
function storedInput({ rows, missing, width }: SurrogateSource): ContentInput {
  if (rows.kind === "sparse") return { ...rows, width, missing };
  return { kind: "dense", values: hostMatrix(rows.values, missing.length, width), missing };
}
