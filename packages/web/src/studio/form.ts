// The form, from the model's own channels: what each takes, what the training items had of it, and which field of the catalogue it was read from.
import type { ModelInfo } from "@nearkin/client";
import { readable } from "../explore/describe.ts";

interface Common {
  /** What a draft calls it. */
  readonly channel: string;
  readonly label: string;
  /** The field of the catalogue that it was read from; undefined where that is not known. */
  readonly field: string | undefined;
}

/** A field of the form. */
export type StudioField = Common &
  (
    | {
        readonly kind: "text";
        /** Whether an encoder beside the model reads it: only the server has one. */
        readonly encoded: boolean;
      }
    | {
        readonly kind: "list";
        /** What training knows, the most frequent first; empty where that cannot be found out. */
        readonly terms: readonly string[];
      }
    | {
        readonly kind: "number" | "date";
        /** The least and the largest of the training items, as text; undefined where that cannot be found out. */
        readonly range: readonly [string, string] | undefined;
      }
    | { readonly kind: "place" }
  );

export interface StudioForm {
  readonly fields: readonly StudioField[];
  /** Channels that follow from the others. */
  readonly following: readonly string[];
  /** Channels that nobody can type: vectors, and what is learned from who met an item. */
  readonly untypable: readonly string[];
}

/** What is read of model.json; all of it may be missing in a file of another version. */
interface Manifest {
  readonly channels?: readonly { readonly name?: unknown; readonly transform?: Transform }[];
  readonly fields?: Readonly<Record<string, { readonly channel?: unknown; readonly type?: unknown }>>;
}

interface Transform {
  readonly terms?: unknown;
  readonly log?: unknown;
  readonly min?: unknown;
  readonly max?: unknown;
  /** Of dates: a number of years since 1970. */
  readonly years?: { readonly min?: unknown; readonly max?: unknown };
  readonly encoder?: { readonly kind?: unknown };
}

/** The form of a model; `manifest` is its model.json, or null where that cannot be had: then there are no suggestions and no ranges. */
export function formOf(
  { channels, fields: names }: Pick<ModelInfo, "channels" | "fields">,
  manifest: unknown,
): StudioForm {
  const { channels: stored = [], fields: shapes = {} } = (manifest ?? {}) as Manifest;
  const fields: StudioField[] = [];
  const following: string[] = [];
  const untypable: string[] = [];
  for (const { name: channel, type } of channels) {
    const transform = stored.find(({ name }) => name === channel)?.transform ?? {};
    const read = Object.keys(shapes).find((name) => shapes[name].channel === channel);
    const field = read ?? (names.includes(channel) ? channel : undefined);
    const common = { channel, field, label: readable(channel) };
    switch (type) {
      case "text":
        // an encoder that is not known is not here
        fields.push({ ...common, kind: "text", encoded: (transform.encoder?.kind ?? "external") === "external" });
        break;
      case "categories":
        fields.push({ ...common, kind: "list", terms: textsOf(transform.terms) });
        break;
      case "number":
        fields.push({ ...common, kind: "number", range: numberRange(transform) });
        break;
      case "date":
        fields.push({ ...common, kind: "date", range: dateRange(transform) });
        break;
      case "geo":
        fields.push({ ...common, kind: "place" });
        break;
      case "surrogate":
      case "behavior":
        following.push(channel);
        break;
      default:
        untypable.push(channel);
    }
  }
  return { fields: fields.toSorted((a, b) => order[a.kind] - order[b.kind]), following, untypable };
}

/** Words before figures: a text says most, and takes most of the room. */
const order: Readonly<Record<StudioField["kind"], number>> = { text: 0, list: 1, number: 2, date: 2, place: 3 };

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

function numberRange({ min, max, log }: Transform): readonly [string, string] | undefined {
  if (typeof min !== "number" || typeof max !== "number") return undefined;
  // statistics are of log(1 + x) where the channel takes it
  const value = (stored: number) => (log === true ? Math.expm1(stored) : stored);
  return [figure(value(min)), figure(value(max))];
}

const figure = (value: number): string => String(Number(value.toPrecision(6)));

const DAYS_PER_YEAR = 365.2425; // as core counts
const DAY = 86_400_000; // ms

function dateRange({ years: { min, max } = {} }: Transform): readonly [string, string] | undefined {
  if (typeof min !== "number" || typeof max !== "number") return undefined;
  return [dayOf(min), dayOf(max)];
}

const dayOf = (years: number): string =>
  new Date(Math.round(years * DAYS_PER_YEAR) * DAY).toISOString().slice(0, "1999-03-31".length);
