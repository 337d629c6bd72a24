// The dataset: counts, split, truths, channels.
import { hitMeans } from "../headline.ts";
import { type Html, html } from "../html.ts";
import type { ModelReport, ReportedData } from "../model-report.ts";
import { count, day, percent, plural, unbroken } from "../numbers.ts";
import { facts, type Section, simulatedNotice } from "../section.ts";
import { table } from "../table.ts";

export function dataSection(report: ModelReport): Section {
  const { data } = report;
  return {
    id: "data",
    title: "Data",
    body: html`${simulatedNotice(report)}${facts([
      ["Dataset", data.name],
      ["Items", count(data.items)],
      ["Users", count(data.users)],
      ["Events", count(data.events)],
      ["Ratings", ratingsOf(data)],
      [
        "In training",
        `${plural(data.training.items, "item")}, ${plural(data.training.users, "user")}, ${plural(data.training.events, "event")}`,
        "wide",
      ],
      ["Split", splitOf(data), "wide"],
    ])}
<h3>Truths</h3>
<p>What counts as a hit. A query without any is left out, and counted here.</p>
${truths(report)}
<h3>Channels</h3>
<p>Items with a value, of all, of those in training, and of the others, which training does not see. A channel that these lack cannot help them.</p>
${channels(data)}`,
  };
}

const ratingsOf = ({ ratings: { kind, mean, least, most } }: ReportedData): string =>
  kind === "implicit" ? "implicit: events without ratings" : `${least} to ${most}, mean ${mean.toFixed(2)}`;

function splitOf({ split, roles, userRoles, time }: ReportedData): string {
  const cut = time && time.cut !== null ? `, cut on ${day(time.cut)}` : "";
  const span = time ? `; training from ${day(time.from)} to ${day(time.to)}` : "";
  if (split === "users") {
    return `held-out users${cut}: ${plural(userRoles.validation, "validation user")}, ${plural(userRoles.test, "test user")}${span}`;
  }
  if (split === "none") return `none${span}`;
  return `by ${split === "random" ? "chance" : split}${cut}: ${plural(roles.train, "training item")}, ${count(roles.validation)} for validation, ${count(roles.test)} for test${roles.unseen > 0 ? `, ${count(roles.unseen)} without events` : ""}${span}`;
}

function truths({ evaluation }: ModelReport): Html {
  return table({
    label: "Truths",
    head: ["truth", "a hit is", "queries", "left out", "mean size", "median size"],
    text: [0, 1],
    rows: evaluation.truths.map(({ name, queries, empty, size }) => ({
      cells: [
        unbroken(name),
        hitMeans(name),
        count(queries),
        count(empty),
        count(Math.round(size.mean)),
        count(size.median),
      ],
    })),
  });
}

/** A channel that held-out items lack cannot help them: their share is worth a column. */
function channels({ channels: all, items, training }: ReportedData): Html {
  return table({
    label: "Channels",
    head: ["channel", "type", "items with a value", "of all", "of training items", "of the others"],
    text: [0, 1],
    rows: all.map(({ name, type, present, trainingPresent }) => ({
      cells:
        present === null || trainingPresent === null
          ? [name, madeBy(type), "–", "–", "–", "–"]
          : [
              name,
              type,
              count(present),
              percent(present / items),
              percent(trainingPresent / training.items),
              percent((present - trainingPresent) / (items - training.items)),
            ],
    })),
  });
}

const MADE_BY: Readonly<Record<string, string>> = {
  surrogate: "made by training: what the process expects of an item's taste factors",
  behavior: "made by training: who met an item, or who is expected to",
};
const madeBy = (type: string): string => MADE_BY[type] ?? `${type}, made by training`;
