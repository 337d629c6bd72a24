// One user on one line: what comes in, and what goes out. A line that cannot be answered is answered with the reason, and the next one has its turn.
//
//   in   {"user": "ada", "ratings": [{"item": "alien-1979", "rating": 5}, {"item": "stalker-1979"}]}     the oldest first; ratings are optional
//   out  {"user": "ada", "weights": {…}, "popularity": 0.4, "items": 2, "used": 2, "iterations": 6, "before": …, "after": …, "kept": null}
//   or   {"user": "ada", "line": 7, "error": {"code": "UNKNOWN_ITEM", "message": "…"}}
import { type Model, NearkinError, type PersonalMetric, type UserRating } from "@nearkin/core";

export interface UserRequest {
  readonly user: string;
  readonly ratings: readonly UserRating[];
}

export type UserAnswer = { readonly user: string } & Omit<PersonalMetric, "offset">;

export interface UserRefusal {
  /** null where the line does not say. */
  readonly user: string | null;
  /** From 1, where there are lines. */
  readonly line?: number;
  readonly error: { readonly code: string; readonly message: string };
}

export const isRefusal = (answer: UserAnswer | UserRefusal): answer is UserRefusal => "error" in answer;

/** The answer to one line of input. Errors of the user's making are part of it; all others are thrown. */
export function answerLine(model: Model, text: string, line: number): UserAnswer | UserRefusal {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch (cause) {
    return { user: null, line, error: { code: "BAD_JSON", message: (cause as Error).message } };
  }
  const { user, ratings } = (request ?? {}) as { user?: unknown; ratings?: unknown };
  const name = typeof user === "string" ? user : typeof user === "number" ? String(user) : undefined;
  if (name === undefined) {
    const message = 'expected {"user": "an id", "ratings": [{"item": "an id", "rating": 4}, …]}';
    return { user: null, line, error: { code: "BAD_ARGUMENT", message } };
  }
  const answer = answerUser(model, { user: name, ratings: ratings as UserRating[] });
  return isRefusal(answer) ? { ...answer, line } : answer;
}

export function answerUser(model: Model, { user, ratings }: UserRequest): UserAnswer | UserRefusal {
  try {
    const { offset: _offset, ...metric } = model.personalize(ratings);
    return { user, ...metric };
  } catch (error) {
    if (!(error instanceof NearkinError) || !REFUSALS.has(error.code)) throw error;
    return { user, error: { code: error.code, message: error.message } };
  }
}

/** What is wrong with one user, not with the run. */
const REFUSALS: ReadonlySet<string> = new Set(["BAD_ARGUMENT", "UNKNOWN_ITEM"]);
