// Schemas as JSON Schema, with those that have a name kept apart, for OpenAPI.
import { z } from "zod";
import { filterForms, filterJson } from "./filter.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Named schemas, gathered while others are converted. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  /** The JSON Schema of what comes in or goes out; schemas with an `id` are referred to. */
  convert(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    // wrapped, since the outermost schema is never referred to by its name
    const { properties = {}, $defs = {} } = z.toJSONSchema(z.object({ schema }), {
      io,
      override: ({ zodSchema, jsonSchema }) => {
        withoutNoise(jsonSchema);
        if (Object.is(zodSchema, filterJson)) nameForms(jsonSchema);
      },
    });
    for (const [id, definition] of Object.entries($defs)) this.#add(id, relinked(definition) as JsonSchema);
    return relinked(properties.schema) as JsonSchema;
  }

  /** By name, in order of their names. */
  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #add(id: string, schema: JsonSchema): void {
    const before = this.#schemas.get(id);
    if (before && JSON.stringify(before) !== JSON.stringify(schema)) throw new Error(`two schemas are called ${id}`);
    this.#schemas.set(id, schema);
  }
}

/** Whole numbers are safe ones in any JSON of ours, and a format says what its long pattern does: both only hide what matters. */
function withoutNoise(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
}

/** What stands behind the one schema that chooses among its forms by itself. */
function nameForms(schema: z.core.JSONSchema.BaseSchema): void {
  for (const key of ["type", "propertyNames", "additionalProperties"] as const) delete schema[key];
  schema.anyOf = Object.values(filterForms).map((form) => {
    const { $schema, $defs, ...own } = z.toJSONSchema(form, { io: "input" });
    return own;
  });
}

/** References as a document of OpenAPI has them. */
function relinked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relinked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "$ref" && typeof inner === "string"
        ? inner.replace("#/$defs/", "#/components/schemas/")
        : relinked(inner),
    ]),
  );
}
