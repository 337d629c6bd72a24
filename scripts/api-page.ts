// The tables of docs/api.md, from the contract:  npm run api-page
// Everything between the marks is written anew; a test holds the page against the contract.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { allRoutes, apiErrors, type Route } from "@nearkin/client/contract";
import { z } from "zod";

const PAGE = fileURLToPath(new URL("../docs/api.md", import.meta.url));

interface Json {
  properties?: Record<string, Json>;
  required?: string[];
  description?: string;
  items?: Json;
  $ref?: string;
  $defs?: Record<string, Json>;
}

/** The page with its marked parts made from the contract. */
export function apiPage(page: string): string {
  return between(between(page, "routes", routesText()), "errors", errorsText());
}

function between(page: string, mark: string, text: string): string {
  const [begin, end] = [`<!-- ${mark}:begin -->`, `<!-- ${mark}:end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/api.md has no ${begin} … ${end}`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
}

function routesText(): string {
  const groups = grouped(allRoutes);
  return [...groups].map(([tag, routes]) => `### ${title(tag)}\n\n${routes.map(routeText).join("\n")}`).join("\n");
}

function grouped(routes: readonly Route[]): Map<string, Route[]> {
  const groups = new Map<string, Route[]>();
  for (const route of routes) groups.set(route.tag, [...(groups.get(route.tag) ?? []), route]);
  return groups;
}

const title = (tag: string): string => tag[0].toUpperCase() + tag.slice(1);

function routeText(route: Route): string {
  const { method, path, scope, tokens, summary, description, query, body, errors } = route;
  const who = scope === "public" ? "anyone" : `scope \`${scope}\`${tokens ? ", tokens too" : ""}`;
  const own = errors.length > 0 ? ` Errors of its own: ${errors.map((code) => `\`${code}\``).join(", ")}.` : "";
  return [
    `#### \`${method} ${path}\``,
    "",
    `${summary} (${who}). ${description}${own}`,
    "",
    ...(query ? [table("query", query), ""] : []),
    ...(body ? [table("body", body), ""] : []),
  ].join("\n");
}

function table(part: string, schema: z.ZodType): string {
  const whole = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Json;
  const rows = rowsOf(whole, whole.$defs ?? {}, "");
  return [`| ${part} | |`, "|---|---|", ...rows].join("\n");
}

/** A row for each key, and behind a list of objects a row for each of theirs. */
function rowsOf(schema: Json, defs: Record<string, Json>, before: string): string[] {
  const { properties = {}, required = [] } = followed(schema, defs);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = before + name;
    const { description = "", items } = followed(property, defs);
    const mark = required.includes(name) ? " **required**" : "";
    const row = `| \`${path}\`${mark} | ${cell(property.description ?? description)} |`;
    return items ? [row, ...rowsOf(items, defs, `${path}[].`)] : [row];
  });
}

const followed = (schema: Json, defs: Record<string, Json>): Json =>
  schema.$ref === undefined ? schema : (defs[schema.$ref.split("/").at(-1) as string] ?? schema);

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function errorsText(): string {
  const rows = Object.entries(apiErrors).map(
    ([code, { status, when, remedy }]) => `| \`${code}\` | ${status} | ${cell(when)} | ${cell(remedy)} |`,
  );
  return ["| code | status | when | what to do |", "|---|---|---|---|", ...rows].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, apiPage(readFileSync(PAGE, "utf8")));
