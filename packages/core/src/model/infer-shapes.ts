// What the fields of a catalogue look like, where nobody said so: models that were trained before shapes were stored, and columns that no
// channel reads.
import { isNumberText } from "../channels/cells.ts";
import type { ModelCatalogue, ModelChannel } from "./parts.ts";
import { type FieldShape, readDate, splitList } from "./shapes.ts";

const LOOKED_AT = 2000; // cells of a field, spread over the catalogue
const MOST = 0.95; // of the cells must agree
const KNOWN = 0.6; // of the names must be in a vocabulary, which leaves out rare ones
const DIVIDED = 0.1; // of the cells must have a separator
const SEPARATORS = ["|", ";", " > ", ", ", ",", "/"];

/** Shapes of all fields. */
export function inferShapes(
  { fields }: Pick<ModelCatalogue, "fields">,
  channels: readonly ModelChannel[] = [],
): Map<string, FieldShape> {
  return new Map(
    Array.from(fields, ([name, cells]) => {
      const shape = inferShape(cells, channels);
      const namesake = channels.some((own) => own.name === name && own.transform.type === shape.type);
      return [name, namesake ? { ...shape, channel: name } : shape];
    }),
  );
}

/**
 * The shape of a field by its cells. Numbers are numbers where 95 % of the cells are, unless some begin with a 0, as ids do. A list is known by
 * JSON arrays, or by a separator that makes names of a category channel's vocabulary; without such a channel, by a | or ; between short names.
 */
export function inferShape(cells: readonly (string | null)[], channels: readonly ModelChannel[] = []): FieldShape {
  const sample = sampleOf(cells);
  if (sample.length === 0) return { type: "text" };
  const share = (test: (cell: string) => boolean) => sample.filter(test).length / sample.length;
  if (share(isNumberText) >= MOST) return { type: sample.some((cell) => /^0\d/.test(cell)) ? "text" : "number" };
  if (share((cell) => /^\d{4}-\d\d/.test(cell) && readDate(cell) !== null) >= MOST) return { type: "date" };
  const list = vocabularyList(sample, channels);
  if (list) return list;
  const asNames: FieldShape = { type: "list" };
  if (share((cell) => cell.startsWith("[") && cell.endsWith("]")) >= MOST) {
    return share((cell) => cell === "[]" || splitList(cell, asNames).some((name) => !isNumberText(name))) >= MOST
      ? { type: "list", separator: null }
      : { type: "text" }; // vectors, or no JSON
  }
  const separator = SEPARATORS.slice(0, 2).find((own) => dividesNames(sample, own));
  return separator === undefined ? { type: "text" } : { type: "list", separator };
}

/** Cells that say something, evenly spread. */
function sampleOf(cells: readonly (string | null)[]): string[] {
  const sample: string[] = [];
  const step = Math.max(1, Math.floor(cells.length / LOOKED_AT));
  for (let i = 0; i < cells.length; i += step) {
    const cell = cells[i]?.trim();
    if (cell) sample.push(cell);
  }
  return sample;
}

/** The separator, if any, under which most names are in the vocabulary of a category channel; the one that knows most. */
function vocabularyList(sample: readonly string[], channels: readonly ModelChannel[]): FieldShape | undefined {
  let best: FieldShape | undefined;
  let most = KNOWN;
  for (const { name, transform } of channels) {
    if (transform.type !== "categories") continue;
    for (const separator of [null, ...SEPARATORS]) {
      const shape: FieldShape = { type: "list", separator, channel: name };
      const names = sample.flatMap((cell) => splitList(cell, shape));
      const known = names.filter((own) => transform.index.has(own)).length / Math.max(1, names.length);
      if (known <= most) continue;
      best = shape;
      most = known;
    }
  }
  return best;
}

/** Whether a separator stands between short names: prose has some, too, between long ones. */
function dividesNames(sample: readonly string[], separator: string): boolean {
  const divided = sample.filter((cell) => cell.includes(separator));
  if (divided.length < DIVIDED * sample.length) return false;
  const names = divided.flatMap((cell) => splitList(cell, { type: "list", separator }));
  const words = names.reduce((sum, name) => sum + name.split(/\s+/).length, 0);
  return words <= 3 * names.length;
}
