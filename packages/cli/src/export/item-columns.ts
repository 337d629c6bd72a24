// Which columns the item file has, and which of them each channel is read from: by nearkin.yaml, by what the model says of its fields, or by name.
import { type FieldShape, type ModelCatalogue, type ModelParts, NearkinError } from "@nearkin/core";
import type { ChannelCells, Config } from "@nearkin/data";

type Shapes = ReadonlyMap<string, FieldShape>;

/** The columns of items, before any is put at run time. */
export interface ItemColumns {
  readonly id: string;
  readonly title: string;
  /** The columns that the model kept, the title's among them. */
  readonly fields: readonly string[];
  /** By channel. */
  readonly channels: ReadonlyMap<string, ChannelCells>;
  /** Between the parts of a cell that is a list; null where it has one part. */
  readonly separators: ReadonlyMap<string, string | null>;
  /** Channels of which neither nearkin.yaml nor the model says what they are read from: each has a column of its own name. */
  readonly guessed: ReadonlySet<string>;
}

type Known = Pick<ModelParts, "catalogue" | "channels">;

export function itemColumns({ catalogue, channels }: Known, config?: Config): ItemColumns {
  const fields = [...catalogue.fields.keys()];
  const { shapes = new Map<string, FieldShape>() } = catalogue;
  const id = config?.items?.columns.item ?? "item_id";
  if (fields.includes(id)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `export items: the column ${id} would be there twice, as the id and as a field; name the column of ids under items.columns.item of a nearkin.yaml, and give that with --config`,
    );
  }
  const cells = new Map<string, ChannelCells>();
  const guessed = new Set<string>();
  if (config) {
    for (const [name, channel] of Object.entries(config.channels)) cells.set(name, channel);
  } else {
    for (const { name, transform } of channels) {
      const own = [...shapes].filter(([, shape]) => shape.channel === name);
      const channel = shapedCells(name, transform.type, own);
      if (channel) cells.set(name, channel);
      if (channel && own.length === 0) guessed.add(name);
    }
  }
  return {
    id,
    title: config?.items?.columns.title ?? titleColumn(catalogue) ?? "title",
    fields,
    channels: cells,
    separators: separators(cells, shapes),
    guessed,
  };
}

/** From the fields whose shape names the channel; where none does, from a column of the channel's name. */
function shapedCells(
  name: string,
  type: ModelParts["channels"][number]["transform"]["type"],
  own: readonly (readonly [string, FieldShape])[],
): ChannelCells | undefined {
  const [column = name, second] = own.map(([field, shape]) => shape.column ?? field);
  const { separator = "|", pattern, missing = [], thousands, decimal = "." } = own[0]?.[1] ?? {};
  switch (type) {
    case "number":
      return { type, column, pattern, missing, thousands, decimal };
    case "date":
    case "text":
      return { type, column, pattern, missing };
    case "vector":
      return { type, column };
    case "categories":
      return { type, column, separator, pattern, missing };
    case "geo":
      return second === undefined
        ? { type, latitude: `${name}_latitude`, longitude: `${name}_longitude` }
        : { type, latitude: column, longitude: second };
    case "identity":
    case "surrogate":
    case "behavior":
      return undefined; // nothing is read
  }
}

/** The kept column that is what titles are. */
function titleColumn({ titles, fields }: ModelCatalogue): string | undefined {
  if (titles.every((title) => title === null)) return undefined;
  return [...fields].find(([, cells]) => cells.every((cell, i) => cell === titles[i]))?.[0];
}

function separators(channels: ReadonlyMap<string, ChannelCells>, shapes: Shapes): ReadonlyMap<string, string | null> {
  const found = new Map<string, string | null>();
  for (const [field, { column = field, separator }] of shapes) if (separator != null) found.set(column, separator);
  for (const channel of channels.values()) {
    if (channel.type === "categories" && channel.column !== undefined) found.set(channel.column, channel.separator);
  }
  return found;
}

/** The columns that a channel is read from. */
export function columnsOf(channel: ChannelCells): readonly string[] {
  if (channel.type === "geo") return [channel.latitude, channel.longitude];
  if (channel.type === "identity") return [];
  if (channel.type === "categories" && channel.flags) return channel.flags;
  return channel.column === undefined ? [] : [channel.column];
}
