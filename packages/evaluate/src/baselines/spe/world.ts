// A world with a known answer, for tests. Items are of two kinds that content shows, and of two tastes that it does not; users keep to one of
// each. So content finds the kind of any item, and only events tell the taste. The last items are new.
import { hostMatrix, Random } from "@nearkin/core";
import type { TrainingData } from "@nearkin/data";
import type { TruthTable } from "../../protocol/truths.ts";
import { concatenate } from "./content.ts";
import type { SpeSet } from "./train.ts";

const WARM = 80;
const COLD = 12;
const USERS = 60;
const EVENTS = 12;

const kindOf = (item: number) => item % 2;
const tasteOf = (item: number) => (item >> 1) % 2;

export interface SpeWorld {
  readonly set: SpeSet;
  readonly ids: readonly string[];
  /** Items of the same kind, of the new items. */
  readonly cold: TruthTable;
  /** Items of the same kind and taste, of the others. */
  readonly warm: TruthTable;
}

export function speWorld(seed = 3): SpeWorld {
  const random = new Random(seed);
  const n = WARM + COLD;
  const items = Array.from({ length: n }, (_, item) => item);
  const trainItems = Int32Array.from(items.slice(0, WARM));
  const content = concatenate([
    {
      kind: "dense",
      values: hostMatrix(
        Float32Array.from({ length: 3 * n }, (_, at) => 0.3 * random.normal() + kindOf(Math.floor(at / 3))),
        n,
        3,
      ),
      missing: Uint8Array.from(items, (item) => (item % 11 === 5 ? 1 : 0)),
    },
    {
      kind: "sparse",
      width: 4,
      starts: Int32Array.from({ length: n + 1 }, (_, item) => 2 * item),
      columns: Int32Array.from(items.flatMap((item) => [kindOf(item), 2 + (item % 3 === 0 ? 1 : 0)])),
      value: 0.7,
      missing: new Uint8Array(n),
    },
  ]);
  const events = Array.from({ length: USERS }, (_, user) => {
    const own = items.slice(0, WARM).filter((item) => kindOf(item) === user % 2 && tasteOf(item) === (user >> 1) % 2);
    return random.shuffle(own).slice(0, EVENTS);
  }).flat();
  const truth = (name: string, queries: number[], isHit: (query: number, item: number) => boolean): TruthTable => ({
    name,
    queries: Int32Array.from(queries),
    sets: queries.map((query) => new Set(items.filter((item) => item < WARM && item !== query && isHit(query, item)))),
    empty: 0,
  });
  return {
    set: { content, trainItems, data: trainingData(n, events), validate: null },
    ids: items.map((item) => `item ${item}`),
    cold: truth("new", items.slice(WARM), (a, b) => kindOf(a) === kindOf(b)),
    warm: truth("known", items.slice(0, WARM), (a, b) => kindOf(a) === kindOf(b) && tasteOf(a) === tasteOf(b)),
  };
}

function trainingData(n: number, events: readonly number[]): TrainingData {
  const ratings = new Int32Array(n);
  for (const item of events) ratings[item]++;
  const mean = Float64Array.from(ratings, (count, item) => (count === 0 ? Number.NaN : 3 + (item % 5) / 5));
  return {
    itemCount: n,
    userCount: USERS,
    histories: {
      userIndex: Int32Array.from({ length: USERS }, (_, user) => user),
      starts: Int32Array.from({ length: USERS + 1 }, (_, user) => user * EVENTS),
      items: Int32Array.from(events),
      ratings: new Float32Array(events.length).fill(3),
      times: Float64Array.from(events, (_, at) => at),
    },
    pairs: { user: new Int32Array(0), anchor: new Int32Array(0), positive: new Int32Array(0) },
    items: { ratings, mean, shrunkMean: mean, firstSeen: mean, lastSeen: mean },
    users: { events: new Int32Array(USERS).fill(EVENTS), mean: new Float64Array(USERS).fill(3) },
    factors: { k: 0, vectors: new Float32Array(0), singularValues: new Float64Array(0) },
    roles: Uint8Array.from({ length: n }, (_, item) => (item < WARM ? 0 : 1)),
  };
}
