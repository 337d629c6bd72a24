// What counts as a hit, in words.
import type { Evaluation } from "@nearkin/client";

type Truth = Evaluation["truths"][number];

/** The one that is judged first: 30 days where there are times, else the first with queries. */
export const mainTruth = ({ truths }: Pick<Evaluation, "truths">): Truth | undefined =>
  truths.find(({ name, queries }) => name === "co-interaction 30 d" && queries > 0) ??
  truths.find(({ queries }) => queries > 0);

const daysOf = (truth: string): string | undefined => /^co-interaction (\d+) d$/.exec(truth)?.[1];

const days = (number: string): string => `${number} ${number === "1" ? "day" : "days"}`;

/** A truth as a name. */
export function truthTitle(truth: string): string {
  const within = daysOf(truth);
  if (within !== undefined) return `Met within ${days(within)}`;
  if (truth === "co-interaction ∞") return "Met by the same people";
  if (truth === "affinity") return "Shared users";
  if (truth === "later items") return "What users met later";
  return truth.replace(/^later items among/, "Later, among");
}

/** What a hit is; stands after "A hit is". */
export function hitMeans(truth: string): string {
  const within = daysOf(truth);
  if (within !== undefined) return `an item that some user met within ${days(within)} of the query`;
  if (truth === "co-interaction ∞") return "an item that some user met besides the query, at any time";
  if (truth === "affinity")
    return "one of the items whose users overlap most with those of the query, for how popular both are";
  if (truth.startsWith("later items")) return "another item that the same held-out user met later";
  return "an item of the truth";
}

/** Truths of held-out users: each user counts once, not each query. */
export const isPersonal = (truth: string): boolean => truth.startsWith("later items");
