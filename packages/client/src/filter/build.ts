// Filters put together in code: `all(where("year").atLeast(1990), not(seen()))`.
import type { Bound, FieldFilter, Filter, Scalar } from "./filter.ts";

/** All of these; of none, every item. */
export const all = (...parts: readonly Filter[]): Filter => ({ all: parts });
/** One of these or more; of none, no item. */
export const any = (...parts: readonly Filter[]): Filter => ({ any: parts });
export const not = (filter: Filter): Filter => ({ not: filter });
/** Has this field's value in common with the item in question. */
export const same = (field: string): Filter => ({ same: field });
/** The user has an event with it. */
export const seen = (): Filter => ({ seen: true });
/** It was put at run time, and is not in the model. */
export const added = (): Filter => ({ added: true });

/** What can be asked of a field with values of type `Value`. */
export interface FieldQuestions<Value> {
  is(value: Element<Value>): FieldFilter;
  in(...values: readonly Element<Value>[]): FieldFilter;
  /** A list that holds this. */
  has(value: Element<Value>): FieldFilter;
  /** A list that holds at least one of these. */
  hasAny(...values: readonly Element<Value>[]): FieldFilter;
  above(bound: Ordered<Value>): FieldFilter;
  atLeast(bound: Ordered<Value>): FieldFilter;
  below(bound: Ordered<Value>): FieldFilter;
  atMost(bound: Ordered<Value>): FieldFilter;
  /** Both included. */
  between(low: Ordered<Value>, high: Ordered<Value>): FieldFilter;
  /** Has a value. */
  exists(): FieldFilter;
  /** Has none. */
  missing(): FieldFilter;
  /** Holds this text, upper and lower case alike. */
  matches(text: string): FieldFilter;
}

type Element<Value> = Extract<Value extends readonly (infer One)[] ? One : Value, Scalar>;
type Ordered<Value> = Extract<Value, Bound>;

/**
 * What can be asked of a field.
 *
 * @example
 * where("genres").has("Comedy") // => { field: "genres", has: "Comedy" }
 */
export const where = (field: string): FieldQuestions<Scalar> => questionsOf(field);

/**
 * `where` for fields of known types: it refuses names that are none, and values that cannot be compared.
 *
 * @example
 * const film = whereOf<{ year: number; genres: string[] }>();
 * film("year").between(1920, 1929) // => { field: "year", between: [1920, 1929] }
 */
export function whereOf<Fields extends object>(): <Field extends keyof Fields & string>(
  field: Field,
) => FieldQuestions<Fields[Field]> {
  return (field) => questionsOf(field);
}

function questionsOf<Value>(field: string): FieldQuestions<Value> {
  return {
    is: (value) => ({ field, is: value }),
    in: (...values) => ({ field, in: values }),
    has: (value) => ({ field, has: value }),
    hasAny: (...values) => ({ field, hasAny: values }),
    above: (bound) => ({ field, above: bound }),
    atLeast: (bound) => ({ field, atLeast: bound }),
    below: (bound) => ({ field, below: bound }),
    atMost: (bound) => ({ field, atMost: bound }),
    between: (low, high) => ({ field, between: [low, high] }),
    exists: () => ({ field, exists: true }),
    missing: () => ({ field, exists: false }),
    matches: (text) => ({ field, matches: text }),
  };
}
