// The steps that are SQL, each a file of its own in ../../sql that can be read (and run) by itself. A step's parameters stand in braces.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { NearkinError } from "@nearkin/core";

export type Parameters = Readonly<Record<string, string | number | boolean>>;

/** The text of a step with its parameters filled in. A parameter that is missing, or given for nothing, is a mistake. */
export function sqlStep(name: string, parameters: Parameters = {}): string {
  const text = readFileSync(`${folder()}${name}.sql`, "utf8");
  const used = new Set<string>();
  // Comments may hold any braces they like; what they say of parameters is filled in as well.
  const sql = text.replaceAll(/\{([a-zA-Z]\w*)\}/g, (_, key: string) => {
    if (!(key in parameters)) throw new NearkinError("BAD_ARGUMENT", `${name}.sql: no value for {${key}}`);
    used.add(key);
    return String(parameters[key]);
  });
  for (const key of Object.keys(parameters)) {
    if (!used.has(key)) throw new NearkinError("BAD_ARGUMENT", `${name}.sql has no {${key}}`);
  }
  return sql;
}

/** sql/ lies beside src/ in a clone and beside dist/ in a package: one step up from either, or two from a folder of src/. */
function folder(): string {
  const candidates = ["../sql/", "../../sql/"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return candidates.find((path) => existsSync(`${path}index.sql`)) ?? candidates[0];
}
