// The channels of a table of items: what takes several columns (places, flags) first, then column by column.
import type { ChannelsInput } from "../layouts/layout.ts";
import { columnWords } from "../sources/detect.ts";
import { isNumber } from "./facts.ts";
import { inferChannel } from "./infer.ts";
import { profile, share } from "./profile.ts";
import type { Table } from "./table.ts";

export interface SuggestedChannels {
  channels: ChannelsInput;
  /** Remarks by channel. */
  comments: Record<string, string>;
  /** Columns that are no channel, and why. */
  skipped: { columns: string[]; reason: string }[];
}

/** Columns of 0 and 1 that make one channel of flags, at least. */
const FLAGS = 3;

export function itemChannels(table: Table, item: string, title: string | undefined): SuggestedChannels {
  const suggested: SuggestedChannels = { channels: {}, comments: {}, skipped: [] };
  const add = (column: string, channel: ChannelsInput[string], comment = "") => {
    const name = channelName(column, suggested.channels);
    suggested.channels[name] = channel;
    if (comment !== "") suggested.comments[name] = comment;
  };
  const skip = (column: string, reason: string) => {
    const same = suggested.skipped.find((group) => group.reason === reason);
    if (same) same.columns.push(column);
    else suggested.skipped.push({ columns: [column], reason });
  };
  const place = findPlace(table);
  const flags = table.columns.filter((column) => column !== item && isFlag(table, column));
  const grouped = new Set([item, ...(place ?? []), ...(flags.length >= FLAGS ? flags : [])]);
  for (const column of table.columns) {
    if (grouped.has(column)) continue;
    const own = profile(column, table.cells(column));
    const decision = inferChannel(own, column === title);
    if ("skip" in decision) skip(column, decision.skip);
    else add(column === title ? "title" : column, decision.channel, decision.comment);
    if (column === title) addYear(table, column, suggested, add);
  }
  if (place) add("place", { type: "geo", latitude: place[0], longitude: place[1] });
  if (flags.length >= FLAGS)
    add("flags", { type: "categories", flags }, "columns that hold 1 where the item is of that kind");
  return suggested;
}

const TITLE_YEAR = String.raw`\((\d{4})(?:\s*[–-]\s*(?:\d{4})?)?\)\s*$`;

/** "Lantern Harbour (1995)" tells the year, where no column of its own does. */
function addYear(
  table: Table,
  column: string,
  { channels }: SuggestedChannels,
  add: (name: string, channel: ChannelsInput[string], comment: string) => void,
): void {
  const pattern = new RegExp(TITLE_YEAR, "u");
  const told = table.columns.some((other) => columnWords(other).some((word) => /^(year|date|released?)$/.test(word)));
  if (told || "year" in channels || share(profile(column, table.cells(column)), (value) => pattern.test(value)) < 0.5)
    return;
  add("year", { type: "number", column, pattern: TITLE_YEAR }, "the year at the end of a title");
}

/** Latitude and longitude by their names, if the numbers can be such. */
function findPlace(table: Table): [latitude: string, longitude: string] | undefined {
  const named = (words: RegExp, limit: number) =>
    table.columns.find((column) => {
      const own = profile(column, table.cells(column));
      return (
        columnWords(column).some((word) => words.test(word)) &&
        share(own, (value) => isNumber(value) && Math.abs(Number(value)) <= limit) === 1
      );
    });
  const latitude = named(/^(latitude|lat)$/, 90);
  const longitude = named(/^(longitude|lon|lng|long)$/, 180);
  return latitude !== undefined && longitude !== undefined ? [latitude, longitude] : undefined;
}

/** Only 0 and 1, both of them somewhere. */
function isFlag(table: Table, column: string): boolean {
  const { values, distinct } = profile(column, table.cells(column));
  return distinct === 2 && values.every((value) => value === "0" || value === "1");
}

/** A channel's name from a column's: its letters without marks, never one that is taken. */
function channelName(column: string, taken: Readonly<Record<string, unknown>>): string {
  const plain = column
    .replace(/:\w+$/, "")
    .replaceAll("ß", "ss")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9_-]+/gi, "_")
    .replaceAll(/^_+|(?<!_)_+$/g, "");
  const base = /^[a-z]/i.test(plain) ? plain : plain === "" ? "channel" : `channel_${plain}`;
  let name = base;
  for (let k = 2; Object.hasOwn(taken, name); k++) name = `${base}_${k}`;
  return name;
}
