// What the fields of a catalogue hold: as the channels that were prepared from them read them; by the look of the cells where no channel does.
import { type FieldShape, inferShape } from "@nearkin/core";
import type { ChannelConfig, Config } from "../config/schema.ts";
import type { Manifest } from "../manifest.ts";

/** Columns by name. */
type Fields = ReadonlyMap<string, readonly (string | null)[]>;

/**
 * Shapes by what a filter calls them: the column, or the channel where it reads a part of a column (the year that stands in a title), or reads
 * a column that is something else already.
 */
export function fieldShapes(manifest: Pick<Manifest, "columns" | "config">, fields: Fields): Map<string, FieldShape> {
  const { channels = {} } = manifest.config as Partial<Config>; // as `prepare` wrote it, all defaults filled in
  const title = manifest.columns.items?.title ?? undefined;
  const shapes = new Map<string, FieldShape>();
  if (title !== undefined && fields.has(title)) shapes.set(title, { type: "text" });
  for (const [channel, config] of Object.entries(channels)) {
    for (const [column, shape] of columnShapes(config)) {
      if (!fields.has(column)) continue;
      const isPart = shape.pattern !== undefined;
      if (!isPart && (!shapes.has(column) || isTitleText(column, shape))) shapes.set(column, { ...shape, channel });
      else if (shape.type !== "text" && !fields.has(channel) && !shapes.has(channel)) {
        shapes.set(channel, { ...shape, column, channel });
      }
    }
  }
  for (const [column, cells] of fields) if (!shapes.has(column)) shapes.set(column, inferShape(cells));
  return shapes;

  function isTitleText(column: string, { type }: FieldShape): boolean {
    return column === title && type === "text" && shapes.get(column)?.channel === undefined;
  }
}

/** How a channel reads its columns. */
function columnShapes(config: ChannelConfig): [column: string, shape: FieldShape][] {
  switch (config.type) {
    case "number": {
      const { column, thousands, decimal } = config;
      const signs = { ...(thousands === undefined ? {} : { thousands }), ...(decimal === "." ? {} : { decimal }) };
      return [[column, { type: "number", ...rulesOf(config), ...signs }]];
    }
    case "date":
      return [[config.column, { type: "date", ...rulesOf(config) }]];
    case "categories":
      if (config.column === undefined) return []; // columns of 0 and 1: numbers, by their cells
      return [[config.column, { type: "list", separator: config.separator, ...rulesOf(config) }]];
    case "text":
      return [[config.column, { type: "text", ...rulesOf(config) }]];
    case "geo":
      return [
        [config.latitude, { type: "number" }],
        [config.longitude, { type: "number" }],
      ];
    case "vector":
    case "identity":
      return [];
  }
}

function rulesOf({ pattern, missing }: { pattern?: string | undefined; missing: readonly string[] }) {
  return { ...(pattern === undefined ? {} : { pattern }), ...(missing.length === 0 ? {} : { missing }) };
}
