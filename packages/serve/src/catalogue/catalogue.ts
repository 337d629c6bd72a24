// The catalogue that is served: the model's rows, and over them items that were put or taken away since. All of it lies in memory that threads
// share, so a change is made while no scan runs (`ScanQueue.exclusively`).
//
// An item keeps its row when it is replaced. A row that is no longer in use is marked so; those beyond the model's are given out again once no
// request knows them.
import {
  didYouMean,
  type EmbeddedDraft,
  type FieldShape,
  type LiftedItem,
  type LiftedRows,
  liftedItem,
  type Matrix,
  type Model,
  measureBounds,
  NearkinError,
  tieHash,
  writeLiftedRow,
} from "@nearkin/core";
import { SLICE_ROWS, type Slices } from "../slices.ts";
import { type Bitmap, clearBit, fullBitmap, grown, hasBit, setBit } from "./bitmap.ts";
import { Column, type FieldValue, type FilterColumn, OwnColumn } from "./columns.ts";
import { Filters } from "./filter.ts";
import { FreedRows } from "./freed-rows.ts";
import { nearIds } from "./near-ids.ts";
import type { Evidence } from "./row-updates.ts";

/** An item with all that a row needs. */
export interface ReadyItem {
  readonly id: string;
  readonly title: string | null;
  readonly fields: Readonly<Record<string, FieldValue>>;
  readonly embedded: EmbeddedDraft;
  /** Channels whose text is still to be encoded. */
  readonly pending: readonly string[];
}

/** One object for good, whose numbers change with the catalogue: searches that wait see it as it is when their turn comes. */
type GrowingRows = { -readonly [Key in keyof LiftedRows]: LiftedRows[Key] };

/** Parts of a lifted row. */
interface Row {
  readonly columns: Float32Array;
  readonly masked: Uint8Array;
  readonly log: number;
}

const TEXT: FieldShape = { type: "text" };

export class Catalogue {
  readonly model: Model;
  /** Rows that there is room for. */
  readonly capacity: number;
  readonly filters: Filters;
  /** Rows of deleted items. Every request enters while it works with rows. */
  readonly freed = new FreedRows();
  /** Evidence of events after training, once it was read. */
  evidence: Evidence | undefined;
  /** (capacity, p) shared with the users thread. */
  readonly masked: Uint8Array<SharedArrayBuffer>;
  readonly #hashes: Uint32Array;
  readonly #columns = new Map<string, Column>();
  readonly #read = new Map<string, Column>(); // fields that are read from a column of another name
  readonly #added = new Map<string, number>(); // rows of ids that the model does not have
  readonly #names: string[] = []; // ids of the rows beyond the model's
  readonly #titles = new Map<number, string | null>();
  readonly #pending = new Map<number, readonly string[]>();
  readonly #put = new Set<number>();
  readonly #before = new Map<number, Row>(); // rows that later events have moved, as they are without them
  #byRatings: Int32Array | undefined; // rows of the model
  #alive: Bitmap;
  #dead = 0;
  readonly #rows: GrowingRows;

  constructor(model: Model) {
    this.model = model;
    const { rows, room } = model;
    const { channelCount: p } = rows.layout;
    this.capacity = room.first + room.matrix.rows;
    this.masked = new Uint8Array(new SharedArrayBuffer(this.capacity * p));
    this.masked.set(rows.masked);
    this.#hashes = new Uint32Array(this.capacity);
    this.#hashes.set(rows.hashes);
    this.#rows = {
      ...rows,
      masked: this.masked,
      hashes: this.#hashes,
    };
    this.#alive = fullBitmap(rows.count);
    const own = new Map<string, FilterColumn>(
      [
        new OwnColumn("id", "text", (row) => this.idOf(row)),
        new OwnColumn("title", "text", (row) => this.titleOf(row)),
        new OwnColumn("ratings", "number", (row) => this.ratingsOf(row)),
      ].map((column) => [column.name, column]),
    );
    const { fields } = model.parts.catalogue;
    for (const [name, cells] of fields)
      this.#columns.set(name, new Column(name, model.shapes.get(name) ?? TEXT, cells));
    for (const [name, shape] of model.shapes) {
      // a year that stands in the title: filters may name it, and it is no column of its own
      if (!fields.has(name)) this.#read.set(name, new Column(name, shape, fields.get(shape.column ?? name) ?? []));
    }
    this.filters = new Filters({
      get: (name) => own.get(name) ?? this.column(name), // an item that is put with a field "ratings" changes no filter
      names: () => [...new Set([...own.keys(), ...this.fieldNames])],
    });
  }

  /** What is ranked, as it is now. Rows that are no longer in use are among them: see `alive`. */
  get rows(): LiftedRows {
    return this.#rows;
  }

  /** Rows in use; undefined where all are. */
  get alive(): Bitmap | undefined {
    return this.#dead === 0 ? undefined : this.#alive;
  }

  /** Items. */
  get size(): number {
    return this.#rows.count - this.#dead;
  }

  /** Items that the model does not have. */
  get added(): number {
    return this.#added.size;
  }

  /** Rows that can be given out now. */
  get rowsLeft(): number {
    return this.capacity - this.#rows.count + this.freed.size;
  }

  /** Items with channels whose text is still to be encoded. */
  get pendingItems(): number {
    return this.#pending.size;
  }

  find(id: string): number | undefined {
    const row = this.known(id);
    return row !== undefined && hasBit(this.#alive, row) ? row : undefined;
  }

  /** The same, and the row of an item of the model that was taken away: what users did with it still counts. */
  known(id: string): number | undefined {
    return this.#added.get(id) ?? this.model.items.ids.index(id as never);
  }

  /** The row of an id; one that is not there is an `UNKNOWN_ITEM`, with those it may have meant. */
  indexOf(id: string): number {
    const row = this.find(id);
    if (row !== undefined) return row;
    const near = this.nearest(id);
    throw new UnknownItemError(
      `no item has the id "${id.slice(0, 80)}"${didYouMean(near.map((item) => item.id))}`,
      near,
    );
  }

  at(row: number): { id: string; title: string | null; ratings: number } {
    return { id: this.idOf(row), title: this.titleOf(row), ratings: this.ratingsOf(row) };
  }

  idOf(row: number): string {
    const n = this.model.items.size;
    return row < n ? this.model.items.ids.ids[row] : this.#names[row - n];
  }

  titleOf(row: number): string | null {
    const own = this.#titles.get(row);
    return own === undefined ? (this.model.parts.catalogue.titles[row] ?? null) : own;
  }

  /** Ratings that training had. */
  ratingsOf(row: number): number {
    return row < this.model.items.size ? this.model.items.at(row).ratings : 0;
  }

  /** Rows that were put at run time. */
  get put(): ReadonlySet<number> {
    return this.#put;
  }

  /** Channels of an item whose text is still to be encoded. */
  pendingOf(row: number): readonly string[] {
    return this.#pending.get(row) ?? [];
  }

  /** All fields of the model; of those that came with items put at run time, the ones this item has. */
  fieldsOf(row: number): Record<string, FieldValue> {
    const shown = [...this.#columns].filter(([, column]) => column.count > 0 || column.value(row) !== null);
    return Object.fromEntries(shown.map(([name, column]) => [name, column.value(row)]));
  }

  lifted(row: number): LiftedItem {
    return liftedItem(this.#rows, row);
  }

  /** Channels of an item that have no value. */
  missingOf(row: number): string[] {
    const { channels } = this.model.parts.ensemble;
    return channels.filter((_, c) => this.masked[row * channels.length + c] === 1).map(({ name }) => name);
  }

  /** The names nearest to one that is not there; at most three. */
  nearest(id: string): { id: string; title: string | null }[] {
    const known = nearIds(id, this.#nearby());
    return known.map((name) => ({ id: name, title: this.titleOf(this.find(name) as number) }));
  }

  /** Names of the fields that filters may ask about. */
  get fieldNames(): string[] {
    return [...this.#columns.keys(), ...this.#read.keys()];
  }

  column(name: string): Column | undefined {
    return this.#columns.get(name) ?? this.#read.get(name);
  }

  /** Puts items, each whole. Only while no scan runs. */
  write(items: readonly ReadyItem[]): void {
    const changed: number[] = [];
    for (const item of items) changed.push(this.#write(item));
    this.#grow();
    this.filters.changed(changed);
  }

  /** Brings rows to what later events say of these items; ids without a row are passed over. Only while no scan runs. */
  move(ids: readonly string[]): void {
    for (const id of ids) {
      const row = this.find(id);
      if (row !== undefined) this.#settle(row, id);
    }
  }

  /** (k) Factors of who met an item, as they are without later events: a view. */
  factorsBefore(row: number): Float32Array {
    const { starts, sizes, products } = this.#rows.layout;
    const c = products.indexOf(true);
    const before = this.#before.get(row);
    if (before) return before.columns.subarray(starts[c], starts[c] + sizes[c]);
    const { matrix, local } = this.#place(row);
    const at = matrix.offset + local * matrix.rowStride + starts[c];
    return (matrix.data as Float32Array).subarray(at, at + sizes[c]);
  }

  /** How many more rows these ids would take. */
  rowsFor(ids: Iterable<string>): number {
    let rows = 0;
    for (const id of new Set(ids)) {
      if (this.known(id) === undefined) rows++;
    }
    return rows;
  }

  /** Takes items away; those that are not there are passed over. Only while no scan runs. */
  delete(ids: Iterable<string>): void {
    const freed: number[] = [];
    for (const id of ids) {
      const row = this.find(id);
      if (row === undefined) continue;
      clearBit(this.#alive, row);
      this.#dead++;
      this.#pending.delete(row);
      this.#put.delete(row);
      if (this.#added.delete(id)) freed.push(row);
    }
    this.freed.add(freed);
  }

  /** Rows by what a text finds in ids and titles, best first: whole, at the start, at the start of a word, anywhere. */
  *search(text: string, most: number): Slices<number[]> {
    const wanted = text.trim().toLowerCase();
    const found: number[][] = [[], [], [], []];
    for (let row = 0; row < this.#rows.count; row++) {
      if (row % SLICE_ROWS === SLICE_ROWS - 1) yield;
      if (!hasBit(this.#alive, row)) continue;
      const place = Math.min(matchPlace(this.titleOf(row), wanted), matchPlace(this.idOf(row), wanted));
      if (place < 4 && found[place].length < most) found[place].push(row);
      if (found[0].length >= most) break;
    }
    return found.flatMap((rows) => rows.sort((a, b) => this.ratingsOf(b) - this.ratingsOf(a) || a - b)).slice(0, most);
  }

  /** Rows in use from `from` on. */
  *rowsFrom(from: number): Generator<number> {
    for (let row = from; row < this.#rows.count; row++) if (hasBit(this.#alive, row)) yield row;
  }

  /** The rows with most ratings, of those allowed. */
  wellKnown(count: number, allowed: Bitmap | undefined): Int32Array {
    this.#byRatings ??= Int32Array.from(this.#rows.hashes.subarray(0, this.model.items.size).keys()).sort(
      (a, b) => this.ratingsOf(b) - this.ratingsOf(a) || a - b,
    );
    const found = new Int32Array(count);
    let places = 0;
    for (let i = 0; i < this.#byRatings.length && places < count; i++) {
      const row = this.#byRatings[i];
      if (hasBit(this.#alive, row) && (!allowed || hasBit(allowed, row))) found[places++] = row;
    }
    return found.subarray(0, places);
  }

  /** A field that filters may name from now on. */
  #column(name: string): Column {
    const known = this.column(name);
    if (known) return known;
    const column = new Column(name, TEXT, []);
    this.#columns.set(name, column);
    return column;
  }

  #write({ id, title, fields, embedded, pending }: ReadyItem): number {
    const row = this.#rowFor(id);
    if (!hasBit(this.#alive, row)) {
      setBit(this.#alive, row);
      this.#dead--;
    }
    const old = row < this.model.items.size ? (this.#before.get(row) ?? this.#rowAt(row)) : undefined;
    const [columns, masked] = [embedded.embedding.slice(), embedded.masked.slice()];
    const own = { columns, masked, log: old?.log ?? this.model.coldLogPopularity };
    if (old) this.#keepMet(old, own);
    this.#before.delete(row);
    this.#writeRow(row, own);
    this.#hashes[row] = tieHash(id);
    this.#settle(row, id);
    this.#titles.set(row, title);
    for (const [name, value] of Object.entries(fields)) this.#column(name).put(row, value);
    for (const [name, column] of [...this.#columns, ...this.#read])
      if (!Object.hasOwn(fields, name)) column.remove(row);
    if (pending.length > 0) this.#pending.set(row, pending);
    else this.#pending.delete(row);
    this.#put.add(row);
    return row;
  }

  /** Another description changes nothing in who met an item. */
  #keepMet(old: Row, now: Row): void {
    const { starts, sizes, products } = this.#rows.layout;
    products.forEach((isProduct, c) => {
      if (!isProduct || old.masked[c] === 1) return;
      now.columns.set(old.columns.subarray(starts[c], starts[c] + sizes[c]), starts[c]);
      now.masked[c] = 0;
    });
  }

  /** Writes a row anew with what later events say of its item. */
  #settle(row: number, id: string): void {
    const known = this.#before.get(row);
    if (!this.evidence?.has(id)) {
      if (known) this.#writeRow(row, known);
      this.#before.delete(row);
      return;
    }
    const before = known ?? this.#rowAt(row);
    this.#before.set(row, before);
    const columns = before.columns.slice();
    const masked = before.masked.slice();
    this.evidence.addTo(id, { columns, masked });
    this.#writeRow(row, { columns, masked, log: this.evidence.logPopularity(id, before.log) });
  }

  /** A copy of a row. */
  #rowAt(row: number): Row {
    const { width, embeddingSize: e, channelCount: p } = this.#rows.layout;
    const { matrix, local } = this.#place(row);
    const at = matrix.offset + local * matrix.rowStride;
    return {
      columns: (matrix.data as Float32Array).slice(at, at + e),
      masked: this.masked.slice(row * p, (row + 1) * p),
      log: matrix.data[at + width - 1],
    };
  }

  #writeRow(row: number, { columns, masked, log }: Row): void {
    const { layout, lengths } = this.#rows;
    const { matrix, local } = this.#place(row);
    writeLiftedRow(layout, matrix, local, { embedding: columns, masked, lengths, logPopularity: log });
    this.masked.set(masked, row * layout.channelCount);
    Object.assign(this.#rows, measureBounds(layout, matrix.view(local, local + 1), this.#rows));
  }

  #rowFor(id: string): number {
    const known = this.known(id);
    if (known !== undefined) return known;
    const row = this.freed.take() ?? this.#take();
    this.#added.set(id, row);
    this.#names[row - this.model.items.size] = id;
    return row;
  }

  /** The next row that was never in use: not alive yet, like those that were given back. */
  #take(): number {
    const row = this.#rows.count;
    if (row >= this.capacity) {
      throw new NearkinError("OUT_OF_MEMORY", `the catalogue has room for ${this.capacity} items, and all are taken`);
    }
    if ((row + 32) >>> 5 > this.#alive.length) this.#alive = grown(this.#alive, Math.min(this.capacity, row + 8192));
    this.#rows.count = row + 1;
    this.#dead++;
    return row;
  }

  /** After rows were taken: the last shard is as long as what is in use of it. */
  #grow(): void {
    const { shards, count } = this.#rows;
    const { engine, matrix, first, shard } = this.model.room;
    const used = count - first;
    if (used === (shards[shard]?.rows.rows ?? 0)) return;
    this.#rows.shards = [...shards.slice(0, shard), { engine, rows: matrix.view(0, used) }];
  }

  /** Where a row lies. */
  #place(row: number): { matrix: Matrix; local: number } {
    const { matrix, first } = this.model.room;
    if (row >= first) return { matrix, local: row - first };
    let local = row;
    for (const { rows } of this.#rows.shards) {
      if (local < rows.rows) return { matrix: rows, local };
      local -= rows.rows;
    }
    throw new NearkinError("INDEX_OUT_OF_RANGE", `there is no row ${row}`);
  }

  /** Ids to compare a mistyped one with. */
  *#nearby(): Generator<string> {
    yield* this.#added.keys();
    for (let row = 0; row < this.model.items.size; row++) {
      if (hasBit(this.#alive, row)) yield this.model.items.ids.ids[row];
    }
  }
}

/** A 404 that names those it may have meant. */
class UnknownItemError extends NearkinError {
  readonly nearest: readonly { id: string; title: string | null }[];
  constructor(message: string, nearest: readonly { id: string; title: string | null }[]) {
    super("UNKNOWN_ITEM", message);
    this.nearest = nearest;
  }
}

/** 0 whole, 1 at the start, 2 at the start of a word, 3 anywhere, 4 nowhere. */
function matchPlace(name: string | null, wanted: string): number {
  if (name === null) return 4;
  const folded = name.toLowerCase();
  const at = folded.indexOf(wanted);
  if (at < 0) return 4;
  if (at === 0) return folded.length === wanted.length ? 0 : 1;
  return /[\s\p{P}]/u.test(folded[at - 1]) ? 2 : 3;
}
