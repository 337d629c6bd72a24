// From YAML or a plain object to a Config, or to one BAD_CONFIG error that names every problem by its path.
import { NearkinError, nearestNames } from "@nearkin/core";
import { parseDocument } from "yaml";
import { z } from "zod";
import { type Config, configSchema } from "./schema.ts";

/** Checks a configuration and fills in the defaults. `where` names it in errors. */
export function parseConfig(value: unknown, where = "nearkin.yaml"): Config {
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new NearkinError("BAD_CONFIG", `${where}: ${describeProblems(parsed.error, configSchema).join("; ")}`);
}

/** What is wrong with a value, problem by problem, each with its path; a mistyped key with the one that was meant. */
export function describeProblems(error: z.ZodError, schema: z.core.$ZodType): string[] {
  return error.issues.map((issue) => describe(issue, schema));
}

/** The object a YAML text holds. Syntax errors name line and column. */
export function parseYaml(text: string, where: string): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error) throw new NearkinError("BAD_CONFIG", `${where}: ${error.message.trim()}`, { cause: error });
  try {
    return document.toJS();
  } catch (cause) {
    throw new NearkinError("BAD_CONFIG", `${where}: ${(cause as Error).message}`, { cause }); // such as too many aliases
  }
}

function describe(issue: z.core.$ZodIssue, root: z.core.$ZodType): string {
  const path = issue.path.join(".") || "the top level";
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(root, issue.path);
    return issue.keys
      .map((key) => {
        const [near] = nearestNames(key, known, 1);
        return `unknown key ${JSON.stringify(key)} at ${path}${near ? `; did you mean ${JSON.stringify(near)}?` : ""}`;
      })
      .join("; ");
  }
  // The rule that a key breaks says more than that it is no key.
  const message = issue.code === "invalid_key" ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return `${path}: ${message}`;
}

/** The keys the schema knows at a path, for the suggestion. */
function knownKeys(root: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  let schemas = [root];
  for (const step of path) schemas = schemas.flatMap((schema) => childrenOf(schema, String(step)));
  return schemas.flatMap((schema) => unwrapped(schema)).flatMap((schema) => Object.keys(shapeOf(schema)));
}

function childrenOf(schema: z.core.$ZodType, key: string): z.core.$ZodType[] {
  return unwrapped(schema).flatMap((inner) => {
    if (inner instanceof z.ZodRecord) return [inner.valueType];
    const child = shapeOf(inner)[key];
    return child ? [child] : [];
  });
}

function shapeOf(schema: z.core.$ZodType): Record<string, z.core.$ZodType> {
  return schema instanceof z.ZodObject ? schema.shape : {};
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrapped(schema.unwrap());
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return unwrapped(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => unwrapped(option));
  return [schema];
}
