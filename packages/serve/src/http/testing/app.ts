// A small server with routes of every kind, for tests of what stands under the real ones.
import fastify, { type FastifyInstance, type FastifyRequest, type FastifySchemaCompiler } from "fastify";
import { z } from "zod";
import type { GuardOptions } from "../../access/guard.ts";
import { KeyRing } from "../../access/key-ring.ts";
import type { Scope } from "../../access/scopes.ts";
import { MemoryKeyStore } from "../../access/testing/memory-key-store.ts";
import { BrowserTokens } from "../../access/tokens.ts";
import { ITEMS_BODY_LIMIT } from "../bodies.ts";
import { type FoundationsOptions, installFoundations } from "../foundations.ts";
import { Lifecycle } from "../lifecycle.ts";
import { createMetrics, type Metrics } from "../metrics.ts";
import { type ServerOptionsOptions, serverOptions } from "../server-options.ts";
import { contractValidator } from "../validation.ts";

export interface TestServer {
  readonly app: FastifyInstance;
  readonly lines: Record<string, unknown>[];
  readonly store: MemoryKeyStore;
  readonly ring: KeyRing;
  readonly tokens: BrowserTokens;
  readonly metrics: Metrics;
  readonly lifecycle: Lifecycle;
  /** A key with these scopes, as a header. */
  key(...scopes: Scope[]): Promise<{ authorization: string }>;
  /** A token of this user, as a header. */
  token(user: string): Promise<{ authorization: string }>;
}

export interface TestServerOptions {
  /** @default "keys" */
  door?: "keys" | "local";
  guard?: Partial<GuardOptions>;
  foundations?: Partial<FoundationsOptions>;
  server?: ServerOptionsOptions;
  /** Registers further routes. */
  routes?: (app: FastifyInstance) => void;
}

const event = z.strictObject({ user: z.string().min(1), item: z.string().min(1), rating: z.number().optional() });
const named = (request: FastifyRequest) => (request.params as { id: string }).id;

export async function startTestServer({
  door = "keys",
  guard,
  foundations,
  server,
  routes,
}: TestServerOptions = {}): Promise<TestServer> {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const app = fastify(serverOptions({ ...server, logs: { level: "trace", stream, ...(server?.logs || {}) } }));
  const store = new MemoryKeyStore();
  const ring = new KeyRing(store);
  const tokens = new BrowserTokens(ring, { secrets: () => [new Uint8Array(32).fill(1)] });
  const metrics = createMetrics({ process: false });
  const lifecycle = new Lifecycle();
  await installFoundations(app, {
    guard: { door: door === "keys" ? { kind: "keys", ring, tokens } : { kind: "local" }, ...guard },
    metrics,
    lifecycle,
    ...foundations,
  });
  app.setValidatorCompiler(contractValidator as FastifySchemaCompiler<unknown>);
  addRoutes(app, lifecycle, metrics);
  routes?.(app);
  return {
    app,
    lines,
    store,
    ring,
    tokens,
    metrics,
    lifecycle,
    key: async (...scopes) => ({ authorization: `Bearer ${(await ring.create({ name: "test", scopes })).key}` }),
    async token(user) {
      const { record } = await ring.create({ name: "backend", scopes: ["read", "events"] });
      return { authorization: `Bearer ${tokens.issue(record, { user }).token}` };
    },
  };
}

function addRoutes(app: FastifyInstance, lifecycle: Lifecycle, metrics: Metrics): void {
  app.get("/healthz", { config: { name: "health", scope: "public", tokens: false } }, async () => ({ status: "ok" }));
  app.get("/readyz", { config: { name: "ready", scope: "read", tokens: false } }, async (_request, reply) => {
    const readiness = lifecycle.readiness();
    return reply.code(readiness.ready ? 200 : 503).send(readiness);
  });
  app.get("/metrics", { config: { name: "metrics", scope: "admin", tokens: false } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
  app.get(
    "/v1/items/:id/similar",
    {
      config: {
        name: "similar",
        scope: "read",
        tokens: true,
        user: ({ query }) => (query as { user?: string }).user,
      },
      schema: {
        params: z.strictObject({ id: z.string() }),
        querystring: z.strictObject({ user: z.string().optional(), k: z.coerce.number().int().max(100).default(10) }),
      },
    },
    async ({ params, query }) => ({ item: (params as { id: string }).id, k: (query as { k: number }).k }),
  );
  app.get(
    "/v1/users/:id/metric",
    {
      config: { name: "metric", scope: "read", tokens: true, user: named },
      schema: { params: z.object({ id: z.string() }) },
    },
    async ({ params }, reply) =>
      reply.header("cache-control", "public, max-age=60").send({ user: (params as { id: string }).id }),
  );
  app.delete("/v1/users/:id", { config: { name: "forget", scope: "admin", tokens: false, user: named } }, async () => ({
    deleted: true,
  }));
  app.post(
    "/v1/events",
    {
      config: {
        name: "events",
        scope: "events",
        tokens: true,
        user: ({ body }) => (body as { events: { user: string }[] }).events.map(({ user }) => user),
      },
      schema: { body: z.strictObject({ events: z.array(event).max(1000) }) },
    },
    async ({ body }) => ({ accepted: (body as { events: unknown[] }).events.length }),
  );
  app.put(
    "/v1/items",
    { config: { name: "items", scope: "admin", tokens: false }, bodyLimit: ITEMS_BODY_LIMIT },
    async ({ body }) => ({ bytes: JSON.stringify(body).length }),
  );
}
