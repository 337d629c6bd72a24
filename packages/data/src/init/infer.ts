// What a column of the items could be a channel of, and why not: one column at a time.
import { parseDate } from "@nearkin/core";
import type { ChannelsInput } from "../layouts/layout.ts";
import { columnWords } from "../sources/detect.ts";
import { arrayDecision, findSeparator } from "./lists.ts";
import { numberDecision, percent } from "./numbers.ts";
import { mean, type Profile, share, wordCount } from "./profile.ts";

type ChannelInput = ChannelsInput[string];

/** A channel, with a remark for the person who reads nearkin.yaml; or why there is none. */
export type Decision = { channel: ChannelInput; comment?: string } | { skip: string };

/** Decides on a column by its name and its cells. `isTitle`: it is what items are called by. */
export function inferChannel(own: Profile, isTitle = false): Decision {
  const { column, values, distinct, missing } = own;
  const absent = missing.length === 0 ? {} : { missing: [...missing] };
  if (values.length === 0) return { skip: "empty in every row looked at" };
  if (isTitle && share(own, (value) => /\p{L}/u.test(value)) > 0.5)
    return { channel: { type: "text", column, ...absent } };
  if (distinct === 1) return { skip: `holds one value only, ${JSON.stringify(values[0].slice(0, 40))}` };
  return (
    idDecision(own) ?? numberDecision(own) ?? arrayDecision(own) ?? dateDecision(own) ?? wordsDecision(own, absent)
  );
}

const ADDRESS =
  /^(url|urls|uri|link|links|href|image|images|img|poster|thumbnail|photo|picture|icon|avatar|path|filename|slug|email|phone|website|homepage)$/;
const ID = /^(id|ids|uuid|guid|isbn\d*|ean|upc|gtin|barcode|asin|sku|mpn|hash|checksum|key|index|idx|unnamed)$/;

/** Addresses and ids say which item it is, not what it is like. The id of something that several items share is a category. */
function idDecision(own: Profile): Decision | undefined {
  const { column, values, distinct } = own;
  const words = columnWords(column);
  if (share(own, (value) => /^(https?:\/\/|www\.|\/[\w/-]+\.\w{2,4}$)/i.test(value)) > 0.5)
    return { skip: "addresses" };
  const last = words.at(-1) ?? "";
  if (ADDRESS.test(last) && !isKind(own)) return { skip: "addresses or file names" };
  if (!ID.test(last) && !/[a-z](Id|ID)$/.test(column)) return undefined;
  if (distinct > 0.5 * values.length || values.length < 4) return { skip: "an id, not a property" };
  return { channel: { type: "categories", column, separator: null }, comment: "an id that several items share" };
}

/** What is called "path" may hold kinds of things in levels, such as Outdoor > Tents or Outdoor/Tents: many items share them, and no file does. */
function isKind(own: Profile): boolean {
  if (share(own, (value) => /\.\w{2,4}$|@|:\/\//.test(value)) >= 0.1) return false;
  const separator = findSeparator(own);
  return separator === " > " || (separator !== undefined && own.distinct <= 0.5 * own.values.length);
}

const isDate = (value: string) => {
  if (!/^\d{4}-\d\d/.test(value)) return false;
  try {
    parseDate(value);
    return true;
  } catch {
    return false;
  }
};
/** 31/12/1999, 01-Jan-1995, October 30, 1995, 3 Mai 2001 */
const isOtherDate = (value: string) =>
  /^\d{1,2}[./ -](\d{1,2}|\p{L}{3,9}\.?)[./ -]\d{4}$/u.test(value) || /^\p{L}{3,9}\.? \d{1,2},? \d{4}$/u.test(value);

function dateDecision(own: Profile): Decision | undefined {
  const { column, values, missing } = own;
  const readable = share(own, isDate);
  if (readable >= 0.9) {
    // The few that are no dates count as missing, by name.
    const odd = [...new Set(values.filter((value) => !isDate(value)))].slice(0, 20).sort();
    const absent = [...missing, ...odd];
    return { channel: { type: "date", column, ...(absent.length === 0 ? {} : { missing: absent }) } };
  }
  if (share(own, isOtherDate) < 0.9) return undefined;
  return {
    channel: {
      type: "date",
      column,
      pattern: String.raw`(\d{4})\s*$`,
      ...(missing.length === 0 ? {} : { missing: [...missing] }),
    },
    comment: `of dates such as ${values[0]} only the year is read; write 1999-12-31 to have all of it`,
  };
}

function wordsDecision(own: Profile, absent: { missing?: string[] }): Decision {
  const { column, values, distinct } = own;
  const separator = findSeparator(own);
  if (separator !== undefined) {
    return { channel: { type: "categories", column, separator, ...absent }, comment: coverage(own) };
  }
  const words = mean(values.map(wordCount));
  const fresh = distinct / values.length; // 1 where no value comes twice
  const single: Decision = {
    channel: { type: "categories", column, separator: null, ...absent },
    comment: coverage(own),
  };
  if (words <= 5 && (fresh <= 0.2 || (distinct <= 20 && fresh <= 0.5))) return single;
  if (words >= 3) return { channel: { type: "text", column, ...absent }, comment: coverage(own) };
  if (fresh <= 0.7) return single;
  return words >= 2
    ? { channel: { type: "text", column, ...absent }, comment: coverage(own) }
    : { skip: "nearly every item has a word of its own here: a code or a name, which makes no two items alike" };
}

/** A remark only where something is missing. */
function coverage({ values, rows }: Profile): string {
  return values.length === rows ? "" : `${percent(1 - values.length / rows)} of the items have none`;
}
