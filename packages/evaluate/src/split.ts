// A dataset as evaluation sees it: what training was given, and the truths that it was not. Held-out items are asked about as new ones
// (EV1, EV2); held-out users ask about items that training knows (EV10), so that collaborative baselines can answer them.
import { NearkinError, portableLog } from "@nearkin/core";
import {
  type Dataset,
  itemRoles,
  loadItems,
  loadTraining,
  openTruth,
  type QueryRole,
  type TrainingData,
  type Truth,
  type TruthItems,
} from "@nearkin/data";
import { frequentItems } from "./baselines/events.ts";
import { type Measurement, type MeasureOptions, measureRecommender, summarizeTable } from "./evaluate.ts";
import { measureUsers, type PersonalRecommender, type PersonalWorld, summarizeTasks } from "./evaluate-users.ts";
import { type Measured, measure, PLACES, paperMetrics } from "./protocol/measure.ts";
import { measurePersonally, type PersonalTask, personalTasks, restrictTask } from "./protocol/personal.ts";
import type { Recommender } from "./protocol/recommender.ts";
import { loadTruths, MAIN_TRUTH } from "./protocol/truths.ts";
import type { EvaluatedDataset, TruthSummary } from "./result.ts";
import { mean } from "./statistics/bootstrap.ts";

/** n items. */
export interface Split {
  readonly dataset: Dataset;
  /** (n) */
  readonly ids: readonly string[];
  readonly training: TrainingData;
  /** (n) Training events by item. */
  readonly events: Int32Array;
  /** Items of the role `train` with an event. */
  readonly trainItems: Int32Array;
  /** (n) log q, as training has it; an item that was never met counts as met once. */
  readonly logPopularity: Float64Array;
  readonly truths: readonly TruthSummary[];
  /** Whether queries are items that training knows. */
  readonly warm: boolean;
  /** What became of new items: how often they were rated, and how; null where users are held out. */
  readonly outcomes: TruthItems | null;
  readonly role: QueryRole;
  /** Queries, or users, of this role. */
  readonly queries: number;
  /** Held-out users; absent where items are held out. */
  readonly tasks?: readonly PersonalTask[];
  measure(recommender: Recommender, options: Pick<MeasureOptions, "seed" | "kind">): Measurement;
  /**
   * What settings are chosen by: the mean of the paper's HR, MRR and NDCG under the truth of the main table, or among frequent items alone. Takes every
   * other query, every third, …, so that it asks about `SCORE_QUERIES` or little more.
   */
  score(recommender: Recommender | PersonalRecommender, options?: { amongFrequent?: boolean }): number;
  /** The same with a recommender for each user; absent where items are held out. */
  measurePersonal?(recommender: PersonalRecommender, options: Pick<MeasureOptions, "seed" | "kind">): Measurement;
}

/** Opens the truths of one role. Test items are for figures that are reported, validation items for choices. */
export async function openSplit(dataset: Dataset, role: QueryRole = "test"): Promise<Split> {
  const training = await loadTraining(dataset);
  const truth = await openTruth(dataset);
  const events = training.items.ratings;
  const total = Math.max(
    1,
    events.reduce((sum, count) => sum + count, 0),
  );
  const base = {
    dataset,
    ids: (await loadItems(dataset)).ids,
    training,
    events,
    trainItems: Int32Array.from(events.keys()).filter(
      (item) => training.roles[item] === itemRoles.train && events[item] > 0,
    ),
    logPopularity: Float64Array.from(events, (count) => portableLog(Math.max(count, 1) / total)),
  };
  const asked = splitName(dataset.manifest.config) === "users" ? askUsers : askItems;
  return { ...base, role, ...(await asked(truth, role, base)) };
}

type Base = Pick<Split, "dataset" | "training" | "events" | "ids">;
type Asked = Pick<
  Split,
  "truths" | "warm" | "outcomes" | "queries" | "tasks" | "measure" | "score" | "measurePersonal"
>;

const SCORE_QUERIES = 2000;

/** Every so-manieth of a list, so that about `SCORE_QUERIES` of its `queries` queries are left. */
function thinned<T>(list: readonly T[], queries: number): T[] {
  const step = Math.max(1, Math.floor(queries / SCORE_QUERIES));
  return list.filter((_, at) => at % step === 0);
}

const meanOfPaper = (measured: Measured): number => mean(paperMetrics.map((name) => mean(measured[name])));

async function askItems(truth: Truth, role: QueryRole, { dataset, events }: Base): Promise<Asked> {
  const truths = await loadTruths(truth, role, { hasTimes: dataset.manifest.time.kind === "seconds" });
  const outcomes = await truth.items(role);
  return {
    truths: truths.map(summarizeTable),
    warm: false,
    outcomes,
    queries: outcomes.queries.length,
    measure: (recommender, options) => measureRecommender(recommender, { ...options, truths, events }),
    score: (recommender) => {
      if (!("rank" in recommender)) throw new NearkinError("BAD_ARGUMENT", `${recommender.name} asks for users`);
      const main = truths.find(({ name }) => name === MAIN_TRUTH) ?? truths[0];
      const rows = thinned(Array.from(main.queries.keys()), main.queries.length);
      const queries = Int32Array.from(rows, (r) => main.queries[r]);
      const own = { ...main, queries, sets: rows.map((r) => main.sets[r]) };
      return meanOfPaper(measure(recommender.rank(queries, PLACES), own));
    },
  };
}

/** All later items, and those among the items that EASE and SLIM know: there every recommender chooses from the same candidates. */
async function askUsers(truth: Truth, role: QueryRole, { training, events }: Base): Promise<Asked> {
  const tasks = personalTasks(await truth.users(role));
  const worlds = [{ name: "later items", tasks }, ...frequentWorld(training, tasks)];
  return {
    truths: worlds.map(({ name, tasks: own }) => summarizeTasks(name, own)),
    warm: true,
    outcomes: null,
    queries: tasks.length,
    tasks,
    measure: (recommender, options) => measureUsers(recommender, { ...options, worlds, events }),
    score: (recommender, { amongFrequent = false } = {}) => {
      const world = worlds[amongFrequent ? worlds.length - 1 : 0];
      const own = thinned(
        world.tasks,
        world.tasks.reduce((sum, { truth: { queries } }) => sum + queries.length, 0),
      );
      const among = world.among ? { among: world.among } : {};
      const of = "rank" in recommender ? () => recommender : recommender.of;
      return meanOfPaper(measurePersonally(own, of, { itemCount: events.length, ...among }));
    },
    measurePersonal: (recommender, options) => measureUsers(recommender, { ...options, worlds, events }),
  };
}

/** None where no item was met often enough. */
function frequentWorld(training: TrainingData, tasks: readonly PersonalTask[]): PersonalWorld[] {
  const items = frequentItems(training);
  if (items.length === 0) return [];
  const known = new Set(items);
  const name = `later items among ${items.length.toLocaleString("en")} frequent ones`;
  const own = tasks.map((task) => restrictTask(task, known)).filter((task) => task !== undefined);
  return [{ name, tasks: own, among: items }];
}

/** What a result says of its dataset. */
export function describeSplit({ dataset: { manifest }, role, queries }: Split): EvaluatedDataset {
  const { name, id, counts, config } = manifest;
  return {
    name,
    hash: id,
    split: splitName(config),
    role,
    items: counts.items,
    users: counts.users,
    events: counts.interactions,
    queries,
    simulated: manifest.simulated,
  };
}

function splitName(config: Readonly<Record<string, unknown>>): string {
  const { by } = (config.split ?? {}) as { by?: unknown };
  return typeof by === "string" ? by : "none";
}
