// How it was measured: whose metric, fitted to what, asked about what.
import { PLACES } from "../../../protocol/measure.ts";
import { html } from "../../html.ts";
import { count, listed, plural } from "../../numbers.ts";
import { type Fact, facts, type Section } from "../../section.ts";
import type { WithUsers } from "../users-report.ts";

const TARGETS: Readonly<Record<string, string>> = {
  choice: "which items a user met, told apart from those they did not",
  preference: "a Gaussian process of what a user met, liked and did not meet",
  rating: "a Gaussian process of a user's ratings",
};

const FITS: Readonly<Record<string, string>> = {
  map: "the best point under the prior over users",
  descent: "gradient steps from the learned weights, without a prior",
};

const MEANS: Readonly<Record<string, string>> = {
  population: "by expectation–maximisation over training users",
  meta: "through the adaptation of training users (the paper's meta-loss)",
  shared: "they are the shared ones",
};

export function measuredSection({ users: result }: WithUsers): Section {
  const { dataset, model, seeds, users } = result;
  const entries: Fact[] = [
    ["Dataset", dataset.name],
    ["Items", count(dataset.items)],
    ["Test users", count(users)],
    ["Model", model.label, "wide"],
    ["Runs", seeds.length > 1 ? `seeds ${listed(seeds.map(String))}` : `one, of seed ${seeds[0]}`],
    ["Fitted to", `${TARGETS[model.target] ?? model.target}; the last ${plural(model.items, "item")} at most`, "wide"],
    ["The model's own fit", `${FITS[model.fit] ?? model.fit}, at most ${plural(model.iterations, "step")}`, "wide"],
    [
      "Learned weights",
      `${MEANS[model.mean] ?? model.mean}, from ${plural(model.learnedFrom, "training user")}`,
      "wide",
    ],
    ["Gradient steps", `of length ω = ${model.rate}, without a prior; the best point on the way is taken`, "wide"],
    [
      "A hit",
      `a user's earliest 70 % are what their metric is fitted to, and no candidates. Each later item is a query, and the others are its truth; lists have ${PLACES} places.`,
      "wide",
    ],
  ];
  return {
    id: "measured",
    title: "How it was measured",
    body: html`${facts(entries)}
<p>None of a test user's events is in training, nor in the learned weights. Towers stay as they are: a user's metric is a handful of numbers. Figures are the paper's family: its HR is a precision, its NDCG divides by the gain of the list's own hits.</p>`,
  };
}
