// One user on one line: what comes in, and what goes out. A line that cannot be answered is answered with the reason, and the next one has its turn.
//
//   in   {"user": "ada", "ratings": [{"item": "alien-1979", "rating": 5}, {"item": "stalker-1979"}]}     the oldest first; a rating is optional
//   out  {"user": "ada", "weights": {…}, "popularity": 0.4, "items": 2, "used": 2, "iterations": 6, "before": …, "after": …, "kept": null}
//   or   {"user": "ada", "line": 7, "error": {"code": "UNKNOWN_ITEM", "message": "…"}}
import {
  type ErrorCode,
  type ItemId,
  type Model,
  NearkinError,
  type PersonalMetric,
  type UserRating,
} from "@nearkin/core";
import { bad, checkKeys, idOf, isObject, type LineError, readId, shown } from "../json-line.ts";
import type { Line } from "../lines.ts";

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
  readonly error: LineError;
}

export const isRefusal = (answer: UserAnswer | UserRefusal): answer is UserRefusal => "error" in answer;

export interface AnswerOptions {
  /** Items that the model does not know: refuse the user, or leave them out as a batch over a dataset does. @default "refuse" */
  unknown?: "refuse" | "skip";
}

/** The answer to one line of input. Errors of the user's making are part of it; all others are thrown. */
export function answerLine(
  model: Model,
  { text, line }: Pick<Line, "text" | "line">,
  { unknown = "refuse" }: AnswerOptions = {},
): UserAnswer | UserRefusal {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch (cause) {
    return { user: null, line, error: { code: "BAD_JSON", message: (cause as Error).message } };
  }
  try {
    const { user, ratings } = readRequest(request);
    const known =
      unknown === "skip" ? ratings.filter(({ item }) => model.items.ids.index(item as ItemId) !== undefined) : ratings;
    return answerOne(model, { user, ratings: known });
  } catch (error) {
    return { user: (isObject(request) ? idOf(request.user) : undefined) ?? null, line, error: refusalOf(error) };
  }
}

export function answerUser(model: Model, request: UserRequest): UserAnswer | UserRefusal {
  try {
    return answerOne(model, request);
  } catch (error) {
    return { user: request.user, error: refusalOf(error) };
  }
}

function answerOne(model: Model, { user, ratings }: UserRequest): UserAnswer {
  const { offset: _offset, ...metric } = model.personalize(ratings);
  const { weights, popularity, before, after } = metric;
  if (![...Object.values(weights), popularity, before ?? 0, after ?? 0].every(Number.isFinite)) {
    throw new NearkinError("NOT_FINITE", "the fit ended in numbers that are not finite; look for extreme ratings");
  }
  return { user, ...metric };
}

/** What one user is refused with. An error that the next user would meet too is thrown on: the engine is gone, or there is a fault in the program. */
function refusalOf(error: unknown): LineError {
  if (!(error instanceof NearkinError) || OF_THE_RUN.has(error.code)) throw error;
  return { code: error.code, message: error.message };
}

const OF_THE_RUN: ReadonlySet<ErrorCode> = new Set([
  "ENGINE_CLOSED",
  "ENGINE_UNAVAILABLE",
  "SCOPE_CLOSED",
  "WORKER_FAILED",
]);

const LINE = '{"user": "an id", "ratings": [{"item": "an id", "rating": 4}, …]}';
const RATING = '{"item": "an id", "rating": 4}';

/** A line's JSON, checked as far as the model does not check it. */
function readRequest(request: unknown): UserRequest {
  if (!isObject(request)) throw bad(`expected ${LINE}, got ${shown(request)}`);
  checkKeys(request, ["user", "ratings"], "");
  const user = readId(request, "user", LINE);
  const { ratings } = request;
  if (!Array.isArray(ratings)) {
    throw bad(`ratings: expected a list such as [${RATING}], the oldest first, got ${shown(ratings)}`);
  }
  ratings.forEach(checkRating);
  return { user, ratings };
}

function checkRating(one: unknown, i: number): void {
  if (!isObject(one)) throw bad(`ratings[${i}]: expected ${RATING}, got ${shown(one)}`);
  checkKeys(one, ["item", "rating"], ` in ratings[${i}]`);
  const { item, rating } = one;
  if (item === undefined) throw bad(`ratings[${i}]: expected ${RATING}, got no item`);
  if (typeof item !== "string") {
    const advice = Number.isSafeInteger(item) ? `; in quotes: "${item}"` : "";
    throw bad(`ratings[${i}]: the id of an item must be text, got ${shown(item)}${advice}`);
  }
  if (rating != null && typeof rating !== "number") {
    throw bad(`ratings[${i}]: the rating of "${item}" is ${shown(rating)}; give a finite number, or leave it out`);
  }
}
