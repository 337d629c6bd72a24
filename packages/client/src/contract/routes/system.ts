import { z } from "zod";
import { exampleModel } from "../examples.ts";
import { type RouteSpec, route } from "../route.ts";
import { healthAnswer, readyAnswer } from "../system.ts";

/** What all of these have in common. */
const system = { method: "GET", tokens: false, idempotent: true, tag: "system" } as const satisfies Partial<RouteSpec>;

export const systemRoutes = {
  health: route({
    ...system,
    path: "/healthz",
    scope: "public",
    summary: "Whether the process lives",
    description:
      "Answers as long as the process does, also while no model is loaded. The only route of the API that never needs a key.",
    response: healthAnswer,
    errors: [],
    examples: [{ summary: "It lives", response: { status: "ok", version: "0.1.0", uptime: 12.5 } }],
  }),

  ready: route({
    ...system,
    path: "/readyz",
    scope: "read",
    summary: "Whether it can answer",
    description:
      "200 where a model is loaded and the store can be reached; NOT_READY or STORE_UNAVAILABLE otherwise. Needs no key where the setting `open` has readyz.",
    response: readyAnswer,
    errors: ["NOT_READY", "STORE_UNAVAILABLE"],
    examples: [{ summary: "It can", response: { status: "ready", model: exampleModel, items: 360, store: "libsql" } }],
  }),

  metrics: route({
    ...system,
    path: "/metrics",
    scope: "read",
    summary: "Measurements for Prometheus",
    description:
      "Counts, latencies, queues, memory, in the text format of Prometheus. Needs no key where the setting `open` has metrics.",
    response: z.string(),
    produces: "text/plain; version=0.0.4; charset=utf-8",
    errors: [],
    examples: [],
  }),

  openApi: route({
    ...system,
    path: "/openapi.json",
    scope: "read",
    summary: "This API as OpenAPI 3.1",
    description:
      "Made from the table that the server registers its routes from. Needs no key where the setting `open` has docs.",
    response: z.record(z.string(), z.unknown()),
    errors: [],
    examples: [],
  }),

  docs: route({
    ...system,
    path: "/docs",
    scope: "read",
    summary: "This API as a page",
    description: "The documentation, for people. Needs no key where the setting `open` has docs.",
    response: z.string(),
    produces: "text/html; charset=utf-8",
    errors: [],
    examples: [],
  }),
} as const;
