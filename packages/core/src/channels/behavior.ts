// Behavior: who met an item, as a few factors. They are computed from interactions (behavior/factors.ts) and stored in the rows of the model; here is what
// an item that nobody met needs: the regression from its content to the factors (behavior/foresight.ts).
// p source channels, m cosines of a channel, f = 1 + Σ(d_c + m) features, k factors
import { matrixTensor, type Stored, type StoredReader } from "./stored.ts";

interface BehaviorSource {
  /** The channel. */
  readonly name: string;
  /** d */
  readonly width: number;
  /** Inputs are multiplied by it. */
  readonly scale: number;
}

export interface BehaviorTransform {
  readonly type: "behavior";
  /** k */
  readonly width: number;
  /** m */
  readonly cosines: number;
  /** Key of the random stream that draws the projections. */
  readonly key: readonly [low: number, high: number];
  readonly sources: readonly BehaviorSource[];
  /** (f, k) B */
  readonly coefficients: Float32Array;
}

/** f */
export function behaviorFeatures({ sources, cosines }: Pick<BehaviorTransform, "sources" | "cosines">): number {
  return 1 + sources.reduce((sum, { width }) => sum + width + cosines, 0);
}

export function encodeBehavior(transform: BehaviorTransform): Stored {
  const { type, width, cosines, key, sources, coefficients } = transform;
  return {
    json: {
      type,
      width,
      cosines,
      key: { low: key[0], high: key[1] },
      sources: sources.length,
      ...Object.fromEntries(sources.map((source, c) => [`source${c}`, { ...source }])), // names of channels may hold anything
    },
    tensors: { coefficients: matrixTensor(coefficients, behaviorFeatures(transform), width) },
  };
}

export function decodeBehavior(stored: StoredReader): BehaviorTransform {
  const width = stored.count("width", 1);
  const cosines = stored.count("cosines");
  const key = stored.part("key");
  const sources = Array.from({ length: stored.count("sources") }, (_, c) => {
    const source = stored.part(`source${c}`);
    return { name: source.text("name"), width: source.count("width", 1), scale: source.number("scale") };
  });
  return {
    type: "behavior",
    width,
    cosines,
    key: [word(key, "low"), word(key, "high")],
    sources,
    coefficients: stored.f32("coefficients", behaviorFeatures({ sources, cosines }), width),
  };
}

/** A whole number of 32 bits. */
function word(stored: StoredReader, name: string): number {
  const value = stored.count(name);
  if (value > 0xffffffff) throw stored.problem(`"${name}" has more than 32 bits`);
  return value;
}
