// The catalogue of a model, and finding items in it by id or title.
import { NearkinError } from "../errors.ts";
import { checkId } from "./answers.ts";
import { type ItemId, type ItemIndex, Vocabulary } from "./ids.ts";
import { didYouMean, nearestNames } from "./nearest.ts";
import type { ModelCatalogue } from "./parts.ts";

/** An item of the catalogue, as people see it. */
export interface CatalogueItem {
  readonly id: ItemId;
  /** Its row. */
  readonly index: ItemIndex;
  readonly title: string | null;
  /** Training ratings. */
  readonly ratings: number;
  /** A column of the item file that was kept, as it stood there; null where the cell was empty or there is no such column. */
  field(name: string): string | null;
}

/** As much of a catalogue as answers about users need: a model's `Items`, or a catalogue that grows. */
export interface ItemDirectory {
  /** Rows. */
  readonly size: number;
  /** The row of an id; throws for one that is not there. */
  indexOf(id: string): number;
  idOf(row: number): ItemId;
  titleOf(row: number): string | null;
  /** Training ratings. */
  ratingsOf(row: number): number;
}

/** The catalogue of a model. */
export class Items implements ItemDirectory {
  readonly ids: Vocabulary<ItemId, ItemIndex>;
  readonly #catalogue: ModelCatalogue;
  readonly #ratings: Int32Array;
  #byTitle: ReadonlyMap<string, number> | undefined; // −1 where several items share a title

  constructor(catalogue: ModelCatalogue, ratings: Int32Array) {
    this.ids = new Vocabulary<ItemId, ItemIndex>(catalogue.ids);
    this.#catalogue = catalogue;
    this.#ratings = ratings;
  }

  get size(): number {
    return this.ids.size;
  }

  /** Names of the columns that were kept. */
  get fields(): readonly string[] {
    return [...this.#catalogue.fields.keys()];
  }

  at(index: number): CatalogueItem {
    const { titles, fields } = this.#catalogue;
    return {
      id: this.ids.id(index as ItemIndex),
      index: index as ItemIndex,
      title: titles[index],
      ratings: this.#ratings[index],
      field: (name) => fields.get(name)?.[index] ?? null,
    };
  }

  idOf(row: number): ItemId {
    return this.ids.id(row as ItemIndex);
  }

  titleOf(row: number): string | null {
    return this.#catalogue.titles[row];
  }

  ratingsOf(row: number): number {
    return this.#ratings[row];
  }

  /** The row of an id. One that is not there is an `UNKNOWN_ITEM` with the nearest ids and titles. */
  indexOf(id: string): ItemIndex {
    checkId(id);
    const index = this.ids.index(id as ItemId);
    if (index === undefined) throw this.#unknown("id", id);
    return index;
  }

  /** The row of an id, or of a title (upper or lower case) that only one item has. */
  find(text: string): ItemIndex {
    checkId(text);
    const index = this.ids.index(text as ItemId);
    if (index !== undefined) return index;
    this.#byTitle ??= titleIndex(this.#catalogue.titles);
    const found = this.#byTitle.get(fold(text));
    if (found === undefined) throw this.#unknown("id or title", text);
    if (found >= 0) return found as ItemIndex;
    const same = this.#catalogue.titles.flatMap((title, i) =>
      title !== null && fold(title) === fold(text) ? [i] : [],
    );
    const listed = same.slice(0, 5).map((i) => this.ids.ids[i]);
    throw new NearkinError(
      "UNKNOWN_ITEM",
      `${same.length} items are called "${text}"; choose by id: ${listed.join(", ")}${same.length > 5 ? ", …" : ""}`,
    );
  }

  #unknown(what: string, text: string): NearkinError {
    const { ids } = this.ids;
    const { titles } = this.#catalogue;
    // a title that contains the text says more than an id one letter off; each item once, by whichever
    const near = new Map<number, string>();
    for (const title of nearestNames(text, titles)) {
      const row = titles.findIndex((own, i) => own === title && !near.has(i));
      if (row >= 0) near.set(row, `${ids[row]} (${title})`);
    }
    for (const id of nearestNames(text, ids)) {
      const row = this.ids.index(id as ItemId) as number;
      if (!near.has(row)) near.set(row, id);
    }
    return new NearkinError(
      "UNKNOWN_ITEM",
      `no item has the ${what} "${text}"${didYouMean([...near.values()].slice(0, 3))}`,
    );
  }
}

const fold = (text: string): string => text.trim().toLowerCase();

function titleIndex(titles: readonly (string | null)[]): ReadonlyMap<string, number> {
  const index = new Map<string, number>();
  for (let i = 0; i < titles.length; i++) {
    const title = titles[i];
    if (title !== null) index.set(fold(title), index.has(fold(title)) ? -1 : i);
  }
  return index;
}
