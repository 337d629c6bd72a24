// What looks wrong with a dataset. One function per code: what it looks at, its bound, its words.
import type { Config } from "../config/schema.ts";
import type { Manifest } from "../manifest.ts";
import { constantChannel, leakRatingChannel, lowCoverage } from "./channel-warnings.ts";
import type { Inspection } from "./inspection.ts";
import type { SuspectFacts } from "./suspects.ts";
import { type Check, number, percent, type Warning, warn } from "./warning.ts";

/** All that applies, in a fixed order. */
export function findWarnings(
  inspection: Omit<Inspection, "warnings">,
  suspects: SuspectFacts,
  manifest: Manifest,
): Warning[] {
  return checks.flatMap((check) => check({ inspection, suspects, manifest }));
}

const TEST_ITEMS = 20;
const TEST_RATINGS = 5;
const SAME_MOMENT = 0.2;

const degenerateTimeSplit: Check = ({ inspection, suspects, manifest }) => {
  if (inspection.split !== "time") return [];
  const { roles, training } = inspection.counts;
  const seen = roles.train + roles.validation + roles.test;
  const { fraction } = (manifest.config as unknown as Config).split;
  const median = inspection.truth?.test.ratings?.median;
  const reasons = [
    ...(roles.test < TEST_ITEMS ? [`there are ${roles.test} test items, and figures over so few say little`] : []),
    ...(median !== undefined && median < TEST_RATINGS
      ? [
          `half of the test items have at most ${number(median)} interaction${median === 1 ? "" : "s"}, so their truths are thin`,
        ]
      : []),
    ...(suspects.sameFirstMoment > SAME_MOMENT * training.items && suspects.sameFirstMoment > 1
      ? [
          `${percent(suspects.sameFirstMoment / training.items)} of the training items were first seen at the same moment`,
        ]
      : []),
    ...(roles.test > 2 * fraction * seen && roles.test > 1
      ? [
          `${percent(roles.test / seen)} of the items are for test instead of ${percent(fraction)}: many came at the moment of the cut`,
        ]
      : []),
  ];
  return warn(
    "DEGENERATE_TIME_SPLIT",
    reasons.length > 0,
    () => `the split by time is of little use here: ${reasons.join("; ")}; try split.by: random`,
  );
};

const noTimes: Check = ({ inspection: { time } }) =>
  warn(
    "NO_TIMES",
    time.kind === "file order",
    () =>
      "there are no times, so the order of the rows stands for them: pairs are neighbours in the file, and truths have no horizon; " +
      "name the column under interactions.columns.time if there is one",
  );

const implicitRatings: Check = ({ inspection: { ratings } }) =>
  warn("IMPLICIT_RATINGS", ratings.kind === "implicit" || ratings.least === ratings.most, () =>
    ratings.kind === "implicit"
      ? "there are no ratings, and every interaction counts as 1: a mean rating says nothing here, and cannot be a target"
      : `every rating is ${number(ratings.least)}: a mean rating says nothing here, and cannot be a target`,
  );

const UNDESCRIBED = 0.05;

const manyUndescribed: Check = ({ inspection: { counts }, manifest }) => {
  const without = counts.items - counts.describedItems; // somebody interacted with them, or they would not be here
  const met = Math.max(counts.items - counts.roles.unseen, without);
  if (manifest.columns.items === null) {
    return warn("MANY_UNDESCRIBED", true, () => "no file describes the items: only their ids can tell them apart");
  }
  return warn(
    "MANY_UNDESCRIBED",
    without > UNDESCRIBED * met,
    () =>
      `${number(without)} of ${number(met)} items with interactions (${percent(without / met)}) have no row in the item files; ` +
      "compare how both files write the ids",
  );
};

const INTERACTIONS = 1000;
const PER_ITEM = 2;

const fewInteractions: Check = ({ inspection: { counts, perItem } }) => {
  const { interactions, items, pairs } = counts.training;
  return warn(
    "FEW_INTERACTIONS",
    interactions < INTERACTIONS || perItem.mean < PER_ITEM || pairs === 0,
    () =>
      `training has ${number(interactions)} interactions of ${number(items)} items and ${number(pairs)} pairs: little to learn from`,
  );
};

const timeBefore1980: Check = ({ suspects: { before1980, dateLike } }) =>
  warn(
    "TIME_BEFORE_1980",
    before1980 > 0,
    () =>
      `${number(before1980)} training interactions are from before 1980` +
      (dateLike > before1980 / 2
        ? ": dates written like 20200102 were read as seconds since 1970; write them as 2020-01-02"
        : "; look for empty times written as 0, and check interactions.timeUnit"),
  );

const timeInFuture: Check = ({ suspects: { inFuture }, inspection: { time } }) =>
  warn(
    "TIME_IN_FUTURE",
    inFuture > 0,
    () =>
      `${number(inFuture)} training interactions are in the future, the last at ${time.to}; check interactions.timeUnit`,
  );

const HEAVY = 0.1;
const TIMES_MEAN = 3; // among a handful of users a tenth is nothing special

const heavyUser: Check = ({ inspection: { perUser, counts } }) =>
  warn(
    "HEAVY_USER",
    perUser.most > HEAVY * counts.training.interactions && perUser.most > TIMES_MEAN * perUser.mean,
    () =>
      `one user has ${number(perUser.most)} of ${number(counts.training.interactions)} training interactions ` +
      `(${percent(perUser.most / counts.training.interactions)}); it may be a robot, or stand for everybody without an account`,
  );

const DUPLICATE = 0.05;

const duplicates: Check = ({ inspection: { counts } }) => {
  const rows = counts.interactionRows - counts.rejectedInteractionRows;
  return warn(
    "DUPLICATES",
    counts.duplicates > DUPLICATE * rows,
    () =>
      `${number(counts.duplicates)} of ${number(rows)} rows (${percent(counts.duplicates / rows)}) repeat a user and an item; ` +
      "the last of each was kept: is every row an interaction of its own?",
  );
};

const idSpaces: Check = ({ suspects: { ids } }) => [
  ...warn("ID_SPACES", ids.spacedItems > 0, () => spaced(ids.spacedItems, "item", ids.spacedItem)),
  ...warn("ID_SPACES", ids.spacedUsers > 0, () => spaced(ids.spacedUsers, "user", ids.spacedUser)),
  ...warn(
    "ID_SPACES",
    ids.twins > 0,
    () =>
      `${number(ids.twins)} item${ids.twins === 1 ? " without a description has" : "s without a description have"} the id of a described one but for case, spaces, zeros in front or ` +
      `".0" behind, such as ${JSON.stringify(ids.twin)} and ${JSON.stringify(ids.twinDescribed)}; write ids the same way in both files`,
  ),
];

const spaced = (count: number, what: string, example: string | null) =>
  `${number(count)} ${what} id${count === 1 ? " begins or ends" : "s begin or end"} with a space, such as ${JSON.stringify(example)}; ` +
  "ids are compared as they stand";

const checks: readonly Check[] = [
  leakRatingChannel,
  constantChannel,
  lowCoverage,
  degenerateTimeSplit,
  noTimes,
  implicitRatings,
  manyUndescribed,
  fewInteractions,
  timeBefore1980,
  timeInFuture,
  heavyUser,
  duplicates,
  idSpaces,
];
