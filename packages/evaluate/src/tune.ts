// Baselines with settings are compared at their best: each family is measured with all settings of its grid on validation queries, and the one that ranks
// best is asked about the test queries. What was chosen is said with the figures, and kept, so that it is chosen once for a dataset.
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { countUsers, type Engine, Foresight, Random, type Scope } from "@nearkin/core";
import {
  type BehaviorSpace,
  behaviorBaseline,
  behaviorSpace,
  behaviorWithHistory,
  contentInputs,
} from "./baselines/behavior.ts";
import { ease } from "./baselines/ease.ts";
import { frequentItems } from "./baselines/events.ts";
import { ials } from "./baselines/ials.ts";
import { bm25, itemKnn, rp3beta } from "./baselines/neighbors.ts";
import { recentPopularity } from "./baselines/popularity.ts";
import type { PersonalRecommender } from "./evaluate-users.ts";
import type { Recommender } from "./protocol/recommender.ts";
import type { Split } from "./split.ts";

type Settings = Readonly<Record<string, number>>;

/** A kind of baseline with the settings that are tried, the first being the default. */
interface Family {
  readonly name: string;
  readonly grid: readonly Settings[];
  /** Trials are about frequent items alone, the only ones that it knows. @default false */
  readonly amongFrequent?: boolean;
  /** Called once before `make`, with what was chosen for the families before. */
  begin?(chosen: ReadonlyMap<string, Settings>): void;
  make(settings: Settings, options: MakeOptions): Recommender | PersonalRecommender;
}

interface MakeOptions {
  /** Holds what the recommender computes with. */
  scope: Scope;
  /** Whether this one only helps to choose settings: it may be smaller where the whole would take minutes for each of them. */
  isTrial: boolean;
}

/** A baseline at its best. */
export interface Tuned {
  readonly recommender: Recommender | PersonalRecommender;
  /** What was chosen, such as "shrinkage 100, userLengthExponent 0.5". */
  readonly settings: string;
}

export interface TuneOptions {
  /** What the settings are chosen on; null: every family has its default. */
  validation: Split | null;
  /** A folder that keeps what was chosen. @default nothing is kept */
  cache?: string;
  /** Holds what recommenders compute with. */
  scope: Scope;
  seed: number;
  onFamily?: (name: string, settings: number) => void;
}

/** Every combination of these values. */
function combinations(values: Readonly<Record<string, readonly number[]>>): Settings[] {
  return Object.entries(values).reduce<Settings[]>(
    (all, [name, choices]) => all.flatMap((settings) => choices.map((value) => ({ ...settings, [name]: value }))),
    [{}],
  );
}

const DAYS = [365, 30, 90, 180, 730, 1825];
const EASE_TRIAL = { maxItems: 2000 } as const;
const IALS_TRIAL = { factors: 32, sweeps: 4 } as const;
const IALS_GRID = combinations({ alpha: [0.5, 0.2, 1], lambda: [0.003, 0.01] });

/** Items that people know are ranked best with much shrinkage and a small exponent, new items with little and a larger one. */
const BEHAVIOR_GRID: readonly Settings[] = [
  [10, 0.4, 0.5],
  [5, 0.5, 0.5],
  [10, 0.5, 0.5],
  [30, 0.4, 0.5],
  [100, 0.4, 0.5],
  [100, 0.3, 0.5],
  [100, 0.3, 0.7],
  [300, 0.3, 0.7],
  [10, 0.4, 0],
  [100, 0.3, 0],
].map(([shrinkage, normExponent, sessionWeight]) => ({ shrinkage, normExponent, sessionWeight }));

/** Families that can answer the queries of a split. */
async function familiesOf(engine: Engine, split: Split, { scope, seed }: TuneOptions): Promise<Family[]> {
  const { ids, training, warm, dataset, trainItems } = split;
  const families: Family[] = [];
  const ialsFamily = (name: string, foresight?: Foresight): Family => ({
    name,
    grid: IALS_GRID,
    make: (settings, { isTrial }) => {
      const random = new Random(seed).split("iALS");
      return ials(engine, training, { ids, name, foresight, random, ...settings, ...(isTrial ? IALS_TRIAL : {}) });
    },
  });
  if (dataset.manifest.time.kind === "seconds") {
    families.push({
      name: "recent popularity",
      grid: DAYS.map((halfLife) => ({ halfLife })),
      make: ({ halfLife }) => recentPopularity(training.histories, { ids, halfLife }),
    });
  }
  const inputs = await contentInputs(engine, dataset, { itemCount: ids.length, trainItems });
  if (trainItems.length > 0 && inputs.length > 0) {
    const met = countUsers(training.histories, ids.length);
    const foresight = new Foresight(engine, scope, inputs, {
      met,
      random: new Random(seed).split("behavior", "content"),
    });
    const name = "behavior factors";
    const spaceOf = (settings: Settings | undefined, own: Scope) =>
      behaviorSpace(engine, training, { ...settings, scope: own, met, foresight, seed });
    families.push({
      name,
      grid: BEHAVIOR_GRID,
      make: (settings, { scope: own }) => behaviorBaseline(spaceOf(settings, own), { scope: own, ids, name }),
    });
    if (split.tasks) {
      let space: BehaviorSpace | undefined; // that of the settings that were chosen, made once
      const withHistory = `${name}, with history`;
      families.push({
        name: withHistory,
        grid: combinations({ weight: [2, 1, 3, 5], decay: [0.9, 0.8, 1], last: [10, 20] }),
        begin: (chosen) => {
          space = spaceOf(chosen.get(name), scope);
        },
        make: ({ weight, decay, last }, { scope: own }) =>
          behaviorWithHistory(space as BehaviorSpace, { scope: own, ids, name: withHistory, weight, decay, last }),
      });
    }
    if (!warm) families.push(ialsFamily("content to iALS factors", foresight));
  }
  if (!warm) return families;
  families.push(
    {
      name: "item-kNN",
      grid: combinations({ shrinkage: [100, 0, 10, 30, 300, 1000, 3000], userLengthExponent: [0.5, 0, 1] }),
      make: (settings) => itemKnn(training, { ids, ...settings }),
    },
    {
      name: "RP3β",
      grid: combinations({ alpha: [1, 0.5], beta: [0.4, 0, 0.2, 0.6, 0.8] }),
      make: (settings) => rp3beta(training, { ids, ...settings }),
    },
    {
      name: "BM25",
      grid: combinations({ k1: [0.5, 1.2, 3, 10, 100], b: [0.1, 0.3, 0.75] }),
      make: (settings) => bm25(training, { ids, ...settings }),
    },
    ialsFamily("iALS"),
  );
  if (frequentItems(training).length > 0) {
    families.push({
      name: "EASE",
      grid: [250, 30, 100, 1000, 3000, 10_000].map((lambda) => ({ lambda })),
      amongFrequent: true,
      make: (settings, { isTrial }) => ease(engine, training, { ids, ...settings, ...(isTrial ? EASE_TRIAL : {}) }),
    });
  }
  return families;
}

/** All families of a split, each with the settings that rank best on validation queries. */
export async function tunedBaselines(engine: Engine, split: Split, options: TuneOptions): Promise<Tuned[]> {
  const { validation, scope, cache, onFamily } = options;
  const choices = new Choices(cache, split.dataset.manifest.id);
  await choices.read();
  const tuned: Tuned[] = [];
  const chosen = new Map<string, Settings>();
  for (const family of await familiesOf(engine, split, options)) {
    family.begin?.(chosen);
    let settings = choices.of(family);
    if (!settings) {
      onFamily?.(family.name, family.grid.length);
      settings = validation ? best(engine, family, validation) : family.grid[0];
      if (validation) await choices.keep(family, settings);
    }
    chosen.set(family.name, settings);
    tuned.push({
      recommender: family.make(settings, { scope, isTrial: false }),
      settings: `${describe(settings)}${validation ? "" : " (by default)"}`,
    });
  }
  return tuned;
}

/** The settings of the highest score; the earlier of equal ones. */
function best(engine: Engine, { grid, make, amongFrequent = false }: Family, validation: Split): Settings {
  let found = grid[0];
  let highest = Number.NEGATIVE_INFINITY;
  for (const settings of grid) {
    using scope = engine.scope();
    const recommender = make(settings, { scope, isTrial: true });
    const score = validation.score(recommender, { amongFrequent });
    if (score > highest) [found, highest] = [settings, score];
  }
  return found;
}

const describe = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

/** What was chosen for a dataset, in a file. A family whose grid has changed is chosen anew. */
class Choices {
  readonly #path: string | undefined;
  #kept: Record<string, Settings> = {};

  constructor(cache: string | undefined, dataset: string) {
    this.#path = cache === undefined ? undefined : join(cache, "baselines", `${dataset}.json`);
  }

  async read(): Promise<void> {
    if (this.#path === undefined) return;
    const text = await readFile(this.#path, "utf8").catch(() => undefined);
    try {
      this.#kept = { ...(JSON.parse(text ?? "{}") as Record<string, Settings>) };
    } catch {
      this.#kept = {}; // it broke off: everything is chosen anew
    }
  }

  of(family: Family): Settings | undefined {
    const kept = this.#kept[keyOf(family)];
    return family.grid.find((settings) => JSON.stringify(settings) === JSON.stringify(kept));
  }

  async keep(family: Family, settings: Settings): Promise<void> {
    this.#kept[keyOf(family)] = settings;
    if (this.#path === undefined) return;
    await mkdir(dirname(this.#path), { recursive: true });
    const part = `${this.#path}.${process.pid}.tmp`;
    await writeFile(part, `${JSON.stringify(this.#kept, null, 2)}\n`);
    await rename(part, this.#path);
  }
}

/** Name and grid. */
function keyOf({ name, grid }: Family): string {
  const hash = createHash("sha256").update(JSON.stringify(grid)).digest("hex").slice(0, 12);
  return `${name} ${hash}`;
}
