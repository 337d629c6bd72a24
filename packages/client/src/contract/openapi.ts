// The table of routes as an OpenAPI 3.1 document.
import type { z } from "zod";
import { type ApiErrorCode, apiErrors } from "../errors.ts";
import { Components, type JsonSchema } from "./json-schema.ts";
import type { Route } from "./route.ts";
import { allRoutes } from "./routes.ts";
import { errorSchema } from "./system.ts";

/** As much of a document as is made here. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
  };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly JsonSchema[];
  readonly requestBody?: JsonSchema;
  readonly responses: Readonly<Record<string, JsonSchema>>;
}

export interface OpenApiOptions {
  /** @default all */
  readonly routes?: readonly Route[];
  /** Of the server. @default "0.1.0" */
  readonly version?: string;
  /** Where it can be reached. @default "/" */
  readonly servers?: readonly string[];
}

const tags = [
  { name: "similar", description: "Similar items, the reasons, and the rating an item can expect." },
  { name: "items", description: "The catalogue. Items put at run time are found at once." },
  { name: "events", description: "What users do, and what became of lists." },
  { name: "users", description: "Users' own metrics, what is stored of them, what to show and to ask them." },
  { name: "models", description: "Which model answers, and what it is searched with." },
  { name: "evaluations", description: "How well models do on what training has not seen, as it was measured." },
  { name: "access", description: "Keys for servers, tokens for pages." },
  { name: "system", description: "Whether the server is well, and this document." },
] as const;

/** An OpenAPI 3.1 document; schemas that several routes share are components. */
export function openApi({
  routes = allRoutes,
  version = "0.1.0",
  servers = ["/"],
}: OpenApiOptions = {}): OpenApiDocument {
  const components = new Components();
  const error = components.convert(errorSchema, "output");
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path][route.method.toLowerCase()] = operation(route, components, error);
  }
  const used = new Set(routes.map(({ tag }) => tag));
  return {
    openapi: "3.1.0",
    info: {
      title: "Nearkin",
      version,
      description:
        "Similar items, for a catalogue and for each of its users. Times are milliseconds since 1970; requests may also give ISO 8601. Unknown keys are refused.",
    },
    servers: servers.map((url) => ({ url })),
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A server's key, or a token signed for one user." },
      },
    },
  };
}

function operation(route: Route, components: Components, error: JsonSchema): OpenApiOperation {
  const { name, tag, summary, scope } = route;
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: `${route.description}\n\n${access(route)}`,
    security: scope === "public" ? [] : [{ bearer: [scope] }],
    parameters: [...pathParameters(route, components), ...queryParameters(route, components)],
    ...(route.body ? { requestBody: requestBody(route, route.body, components) } : {}),
    responses: { "200": success(route, components), ...failures(route, error) },
  };
}

function access({ scope, tokens, user, idempotent }: Route): string {
  const needed = scope === "public" ? "Needs no key." : `Needs the scope \`${scope}\`.`;
  const byToken = !tokens
    ? scope === "public"
      ? ""
      : " Tokens may not call it."
    : user === undefined
      ? " Tokens may call it."
      : " A token may call it for its own user.";
  return `${needed}${byToken}${idempotent ? "" : " Not to be sent again where no answer came."}`;
}

function pathParameters({ params, examples }: Route, components: Components): JsonSchema[] {
  return Object.entries(params?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: "path",
    required: true,
    ...described(components.convert(schema as z.ZodType, "input")),
    ...exampleOf(examples[0]?.params?.[name]),
  }));
}

function queryParameters({ query, examples }: Route, components: Components): JsonSchema[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    const { description, schema: own } = described(components.convert(schema as z.ZodType, "input"));
    const parameter = { name, in: "query", required: false, description };
    if (name === "filter") return { ...parameter, schema: textForm(own) };
    // what has keys travels as JSON: no style of OpenAPI says a:1,b:2
    if (own.type === "object") return { ...parameter, content: { "application/json": { schema: own } } };
    return { ...parameter, schema: own, ...exampleOf(examples[0]?.query?.[name]) };
  });
}

/** A description belongs to the parameter, not to its schema. */
function described({ description, ...schema }: JsonSchema): { description?: string; schema: JsonSchema } {
  return typeof description === "string" ? { description, schema } : { schema };
}

const exampleOf = (example: unknown): JsonSchema => (example === undefined ? {} : { example });

/** In a query string a filter is text. */
function textForm({ anyOf }: JsonSchema): JsonSchema {
  return (anyOf as readonly JsonSchema[]).find(({ type }) => type === "string") ?? {};
}

function requestBody({ examples }: Route, body: z.ZodType, components: Components): JsonSchema {
  const entries = examples.filter(({ body: own }) => own !== undefined);
  return {
    required: !body.safeParse(undefined).success,
    content: {
      "application/json": {
        schema: components.convert(body, "input"),
        ...named(entries.map(({ summary, body: value }) => ({ summary, value }))),
      },
    },
  };
}

function success({ response, produces = "application/json", summary, examples }: Route, components: Components) {
  return {
    description: summary,
    content: {
      [produces]: {
        schema: components.convert(response, "output"),
        ...named(examples.map(({ summary: own, response: value }) => ({ summary: own, value }))),
      },
    },
  };
}

function named(examples: readonly { summary: string; value: unknown }[]): JsonSchema {
  if (examples.length === 0) return {};
  return { examples: Object.fromEntries(examples.map((example, i) => [`example${i + 1}`, example])) };
}

/** By status, since several codes may share one. */
function failures(route: Route, error: JsonSchema): Record<string, JsonSchema> {
  const byStatus = new Map<number, ApiErrorCode[]>();
  for (const code of errorsOf(route)) {
    const { status } = apiErrors[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\`: ${apiErrors[code].when}.`).join(" "),
          content: { "application/json": { schema: error } },
        },
      ]),
  );
}

/** All codes that a route may answer. */
export function errorsOf({ scope, params, query, body, errors }: Route): ApiErrorCode[] {
  const codes: ApiErrorCode[] = [];
  if (params || query || body) codes.push("BAD_REQUEST");
  if (body) codes.push("REQUEST_TIMEOUT", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE");
  if (scope !== "public") codes.push("UNAUTHENTICATED", "FORBIDDEN", "TOO_MANY_REQUESTS", "BUSY", "NOT_READY");
  return [...new Set([...codes, ...errors, "INTERNAL" as const])];
}
