// RecBole's atomic files: <name>.inter and <name>.item, tab separated, with the type of each column in its header.
import { join } from "node:path";
import { NearkinError } from "@nearkin/core";
import type { ConfigInput } from "../config/schema.ts";
import { columnWords, detectColumn, summarisesRatings } from "../sources/detect.ts";
import { type ChannelsInput, fileNames, filesMissing, type Layout } from "./layout.ts";
import { peekHeader } from "./peek.ts";

const LOOKED_FOR = "<name>.inter, and <name>.item where the items are described";

export const recbole: Layout = {
  description: "RecBole's atomic files: <name>.inter and <name>.item",
  detect: (folder) => interactionFiles(folder).length > 0,
  config(folder) {
    const files = interactionFiles(folder);
    if (files.length === 0) throw filesMissing("recbole", folder, LOOKED_FOR);
    const bases = [...new Set(files.map(baseOf))];
    if (bases.length > 1) {
      throw new NearkinError(
        "BAD_SOURCE",
        `layout recbole: ${folder} holds more than one dataset (${bases.join(", ")}); put each into a folder of its own`,
      );
    }
    const header = peekHeader(join(folder, files[0]), "\t");
    const items = fileNames(folder).find((name) => name === `${bases[0]}.item` || name === `${bases[0]}.item.gz`);
    return {
      name: bases[0],
      interactions: {
        files: files.length === 1 ? files[0] : files,
        format: "tsv",
        quote: "",
        columns: {
          user: need("user", header, files[0]),
          item: need("item", header, files[0]),
          rating: detectColumn("rating", header) ?? null,
          time: detectColumn("time", header) ?? null,
        },
      },
      ...(items === undefined
        ? { channels: { identity: { type: "identity" as const } } } // nothing is known of an item but which it is
        : itemSections(folder, items)),
    };
  },
};

/** <name>.inter; where it is cut into parts (<name>.train.inter …), all of them. */
function interactionFiles(folder: string): string[] {
  const files = fileNames(folder)
    .filter(
      (name, _, all) => /\.inter(?:\.gz)?$/.test(name) && !(name.endsWith(".gz") && all.includes(name.slice(0, -3))),
    )
    .filter((name) => isAtomic(join(folder, name)));
  const whole = files.filter((name) => !/\.(?:train|valid|test)\.inter/.test(name));
  return whole.length > 0 ? whole : files;
}

/** Whether the header carries types. */
const isAtomic = (path: string) => peekHeader(path, "\t").some((field) => /:(?:token|float)(?:_seq)?$/.test(field));

const baseOf = (name: string) => name.replace(/(?:\.(?:train|valid|test))?\.inter(?:\.gz)?$/, "");

function need(role: "user" | "item", header: readonly string[], file: string): string {
  const column = detectColumn(role, header);
  if (column !== undefined) return column;
  throw new NearkinError(
    "BAD_SOURCE",
    `layout recbole: ${file} must have a column ${role}_id:token; its columns are ${header.join(", ")}`,
  );
}

function itemSections(folder: string, file: string): Pick<ConfigInput, "items" | "channels"> {
  const header = peekHeader(join(folder, file), "\t");
  const item = need("item", header, file);
  const title = header.find((field) => columnWords(field).some((word) => /^(title|name)$/.test(word)));
  const channels: ChannelsInput = {};
  for (const field of header) {
    const channel = field === item ? undefined : channelOf(field);
    if (channel) channels[channelName(field)] = channel;
  }
  return {
    items: { files: file, format: "tsv", quote: "", columns: { item, title: title ?? null } },
    channels: Object.keys(channels).length > 0 ? channels : { identity: { type: "identity" } },
  };
}

const TEXT = /^(title|name|description|plot|overview|summary|synopsis|tagline|abstract|headline|text|body|story)$/;
const ID = /^(id|url|asin|isbn|link|image)$/;

/** The channel for a field by its declared type. float_seq is left out: its numbers are separated by spaces, which no channel reads. */
function channelOf(field: string): ChannelsInput[string] | undefined {
  const [, type] = /:(token|token_seq|float|float_seq)$/.exec(field) ?? [];
  const words = columnWords(field);
  if (words.some((word) => ID.test(word))) return undefined;
  const isText = words.some((word) => TEXT.test(word));
  if (words.includes("year") && (type === "token" || type === "float")) {
    // A year is declared a token, but its order means something.
    return { type: "number", column: field, pattern: String.raw`^\s*(\d{4})(?:\.0)?\s*$` };
  }
  if (type === "float") return summarisesRatings(field) ? undefined : { type: "number", column: field };
  if (type === "token" || type === "token_seq") {
    if (isText) return { type: "text", column: field };
    if (type === "token_seq") return { type: "categories", column: field, separator: " " };
    return summarisesRatings(field) ? undefined : { type: "categories", column: field, separator: null };
  }
  return undefined;
}

/** "class:token_seq" → class, in the letters a channel's name may have. */
function channelName(field: string): string {
  const name = field.replace(/:\w+$/, "").replaceAll(/[^a-z0-9_-]+/gi, "_");
  return /^[a-z]/i.test(name) ? name : `field_${name}`;
}
