// What the worker does with the model it holds, by name: add a function here, and `calls` of worker-calls.ts has it.
import { type FieldShape, type ItemId, type Model, readNumber, splitList } from "@nearkin/core";
import { draftCalls } from "./draft-calls.ts";
import { findRows } from "./find.ts";
import { personalCalls } from "./personal-calls.ts";
import type {
  CatalogueLists,
  ClosePair,
  ExplainedItem,
  FieldValue,
  ItemDetails,
  ItemFacts,
  Shelves,
  SimilarQuestion,
  Tuning,
} from "./similarity.ts";
import { liftsOf } from "./similarity.ts";

const POPULAR = 18; // items
const PAIRS = 6;
const COMPARED = 5000; // items of a catalogue that are compared each with each: with more, other questions would wait for seconds

export const modelCalls = {
  ...draftCalls,
  ...personalCalls,

  async similar(model: Model, item: string, question: SimilarQuestion): Promise<readonly ExplainedItem[]> {
    const { items, history } = await model.similar(item, { ...metricOf(model, question), explain: true });
    return items.map(({ contributions = [], lifts, ...rest }) => ({
      ...rest,
      contributions,
      raisedBy: liftsOf(lifts, history),
    }));
  },

  async explain(model: Model, item: string, other: string, tuning: Tuning): Promise<ExplainedItem> {
    const { lifts, history, ...rest } = await model.explain(item, other, metricOf(model, tuning));
    return { ...rest, raisedBy: liftsOf(lifts, history) };
  },

  item(model: Model, id: string): ItemDetails {
    const row = model.items.indexOf(id);
    const { channels } = model.parts;
    const missing = channels.flatMap(({ name }, c) => (model.rows.masked[row * channels.length + c] ? [name] : []));
    return { ...factsOf(model, row), missing };
  },

  search(model: Model, text: string, limit: number): readonly ItemFacts[] {
    const { titles, ids } = model.parts.catalogue;
    return findRows({ titles, ids, ratings: ratingsOf(model) }, text, limit).map((row) => factsOf(model, row));
  },

  shelves(model: Model, compared = COMPARED): Shelves {
    const ratings = ratingsOf(model);
    const rows = Array.from(ratings.keys()).sort((a, b) => ratings[b] - ratings[a] || a - b);
    const items = rows.slice(0, POPULAR).map((row) => factsOf(model, row));
    return { order: "popular", items, pairs: model.items.size > compared ? [] : closePairs(model) };
  },

  /** The k nearest of every item, by similarity alone. */
  lists(model: Model, k: number): CatalogueLists {
    const { ids, titles } = model.parts.catalogue;
    const lists: string[][] = [];
    for (const { count, k: places, items } of model.neighbours({ k })) {
      for (let i = 0; i < count; i++) {
        lists.push(Array.from(items.subarray(i * places, (i + 1) * places), (row) => ids[row]));
      }
    }
    return { ids, titles, lists };
  },
};

/** The question in the words of the model. Items that it does not have are passed over, as by the server. */
function metricOf<Question extends Tuning>({ items, parts }: Model, { history, ...question }: Question) {
  if (!history || !parts.history) return question;
  return {
    ...question,
    history: history.items.filter((id) => items.ids.index(id as ItemId) !== undefined),
    historyWeight: history.factor * parts.history.weight,
  };
}

/** Items that lie closest together, each in one pair. */
function closePairs(model: Model): ClosePair[] {
  const { temperature } = model.parts;
  const nearest: { row: number; other: number; distance: number }[] = [];
  for (const { first, count, k, items, scores } of model.neighbours({ k: 1 })) {
    if (k === 0) break; // a catalogue of one
    for (let i = 0; i < count; i++) {
      nearest.push({ row: first + i, other: items[i], distance: -scores[i] * temperature }); // score = −t/T
    }
  }
  nearest.sort((a, b) => a.distance - b.distance || a.row - b.row);
  const taken = new Set<number>();
  const pairs: ClosePair[] = [];
  for (const { row, other, distance } of nearest) {
    if (pairs.length === PAIRS) break;
    if (taken.has(row) || taken.has(other)) continue;
    taken.add(row).add(other);
    pairs.push({ items: [factsOf(model, row), factsOf(model, other)], distance });
  }
  return pairs;
}

const ratingsOf = (model: Model): Int32Array =>
  Int32Array.from({ length: model.items.size }, (_, row) => model.items.ratingsOf(row));

function factsOf(model: Model, row: number): ItemFacts {
  const { id, title, ratings, field } = model.items.at(row);
  const fields = model.items.fields.map((name) => [name, readCell(field(name), model.shapes.get(name))]);
  return { id, title, ratings, fields: Object.fromEntries(fields) };
}

/** A cell as people see it, and as the server answers it: numbers and lists as such, all else as it stood in the file. */
function readCell(cell: string | null, shape: FieldShape | undefined): FieldValue {
  if (cell === null) return null;
  if (shape?.type === "list") return splitList(cell, shape);
  return shape?.type === "number" ? (readNumber(cell, shape) ?? cell) : cell;
}
