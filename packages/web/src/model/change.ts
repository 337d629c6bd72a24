// A change of the model that answers, step by step, and what it does.
import type { ModelInfo } from "@nearkin/client";
import type { Problem } from "../api/problem.ts";
import { plural } from "../design/numbers.ts";

export type ChangeKind = "activate" | "rollback";

export type ChangeState =
  | { readonly name: "checking" }
  /** It cannot be served. */
  | { readonly name: "refused"; readonly problems: readonly string[] }
  /** It can; `added` items were put at run time. */
  | { readonly name: "ready"; readonly warnings: readonly string[]; readonly added: number }
  | { readonly name: "changing" }
  | { readonly name: "done" }
  | { readonly name: "failed"; readonly problem: Problem };

export const verbOf = (kind: ChangeKind): string => (kind === "activate" ? "Activate" : "Roll back");

export const titleOf = (kind: ChangeKind, { folder }: Pick<ModelInfo, "folder">): string =>
  kind === "activate" ? `Activate ${folder}` : `Roll back to ${folder}`;

interface Change {
  readonly to: ModelInfo;
  readonly from: ModelInfo | undefined;
  /** Items put at run time. */
  readonly added: number;
}

/** What will happen, a sentence each. */
export function consequences({ to, from, added }: Change): string[] {
  return [
    `All new requests are answered by ${to.folder}. Those under way end with the model they began with.`,
    to.personalizes
      ? "Users' own metrics move over; what they rated is kept."
      : "This model cannot learn users' own metrics: everyone gets the shared one. What they rated is kept.",
    ...(added > 0
      ? [
          `${plural(added, "item")} that ${added === 1 ? "was" : "were"} added at run time ${added === 1 ? "is" : "are"} embedded anew.`,
        ]
      : []),
    ...(from?.predictsRatings && !to.predictsRatings ? ["Ratings can no longer be predicted."] : []),
    ...(from ? [`${from.folder} is kept: you can roll back to it.`] : []),
  ];
}
