// A world in which content decides what people like, but not in a way that a small tower finds in a few steps: an item's taste is a point on a
// circle, which its one telling number goes round several times. A Gaussian process on that number finds it at once.
import { type ChannelInput, type Engine, fitVector, hostMatrix, Random } from "@nearkin/core";
import type { Dataset, TrainingData } from "@nearkin/data";
import type { TrainConfig } from "../config/schema.ts";
import { candidateFrequencies } from "../input/pairs.ts";
import { makeTargets } from "../input/targets.ts";
import type { TrainedChannel, TrainingSet } from "../input/training-set.ts";

const [ITEMS, COLD, USERS, EVENTS, RELEVANT] = [330, 30, 200, 8, 10];
const TURNS = 4;

/** Two channels of one number each; the second says nothing. The last 30 items are new, and the validation items. */
export function tasteSet(engine: Engine, config: TrainConfig, seed = 6): TrainingSet {
  const random = new Random(seed);
  const known = ITEMS - COLD;
  const numbers = ["form", "noise"].map(() => Float32Array.from({ length: ITEMS }, () => 2 * random.uniform() - 1));
  const angle = Float64Array.from(numbers[0], (x) => Math.PI * TURNS * x);
  const nearness = (a: number, b: number) => Math.cos(a - b);
  const nearest = (to: number, count: number) =>
    Array.from({ length: known }, (_, item) => item)
      .sort((a, b) => nearness(angle[b], to) - nearness(angle[a], to))
      .slice(0, count);
  const channels = ["form", "noise"].map((name, c): TrainedChannel & { input: ChannelInput } => ({
    spec: { name, input: "dense", inputWidth: 1, embeddingSize: config.model.embedding },
    transform: fitVector(
      engine,
      Array.from(numbers[c], (x) => [x]),
    ),
    scale: 1,
    input: { kind: "dense", values: hostMatrix(numbers[c], ITEMS, 1), missing: new Uint8Array(ITEMS) },
  }));
  const events = Array.from({ length: USERS }, () => {
    const likes = nearest(2 * Math.PI * random.uniform(), 4 * EVENTS);
    return Array.from(random.shuffle(Int32Array.from(likes)).subarray(0, EVENTS));
  }).flat();
  const counts = new Int32Array(ITEMS);
  for (const item of events) counts[item]++;
  const mean = Float64Array.from(counts, (count) => (count === 0 ? Number.NaN : 3 + 0.5 * random.normal()));
  const data: TrainingData = {
    itemCount: ITEMS,
    userCount: USERS,
    histories: {
      userIndex: Int32Array.from({ length: USERS }, (_, user) => user),
      starts: Int32Array.from({ length: USERS + 1 }, (_, user) => user * EVENTS),
      items: Int32Array.from(events),
      ratings: new Float32Array(events.length).fill(4),
      times: Float64Array.from(events, (_, at) => at),
    },
    pairs: { user: new Int32Array(0), anchor: new Int32Array(0), positive: new Int32Array(0) },
    items: { ratings: counts, mean, shrunkMean: mean, firstSeen: mean, lastSeen: mean },
    users: { events: new Int32Array(USERS).fill(EVENTS), mean: new Float64Array(USERS).fill(4) },
    factors: {
      k: 2,
      vectors: Float32Array.from({ length: 2 * ITEMS }, (_, at) => {
        const item = at >> 1;
        if (counts[item] === 0) return 0;
        return (at % 2 === 0 ? Math.cos(angle[item]) : Math.sin(angle[item])) + 0.3 * random.normal();
      }),
      singularValues: Float64Array.of(1, 1),
    },
    roles: new Uint8Array(ITEMS),
  };
  return {
    dataset: { folder: "taste", manifest: { id: "taste" } } as unknown as Dataset,
    data,
    itemCount: ITEMS,
    ids: Array.from({ length: ITEMS }, (_, item) => `item ${item}`),
    channels: channels.map(({ input: _, ...channel }) => channel),
    inputs: { itemCount: ITEMS, channels: channels.map(({ input }) => input) },
    trainItems: Int32Array.from(counts.keys()).filter((item) => counts[item] > 0),
    logq: candidateFrequencies(counts, Math.log),
    targets: makeTargets(data, config.ssl, random.split("targets")),
    validation: {
      queries: Int32Array.from({ length: COLD }, (_, i) => known + i),
      starts: Int32Array.from({ length: COLD + 1 }, (_, i) => RELEVANT * i),
      items: Int32Array.from({ length: COLD }, (_, i) => known + i).reduce<Int32Array>(
        (all, query, i) => {
          all.set(
            nearest(angle[query], RELEVANT).sort((a, b) => a - b),
            RELEVANT * i,
          );
          return all;
        },
        new Int32Array(RELEVANT * COLD),
      ),
    },
  };
}
