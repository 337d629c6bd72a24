// The table of routes, registered: nothing is served that is not in it. Requests are checked by the contract's own schemas before anything else
// sees them; answers are typed by it.
import type { Socket } from "node:net";
import { allRoutes, namedUsers } from "@nearkin/client/contract";
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from "fastify";
import { z } from "zod";
import { nobodys } from "../access/caller.ts";
import type { Asked, Handler, Handlers, ServerContext } from "./context.ts";
import { docsFiles } from "./docs/page.ts";
import { accessHandlers } from "./handlers/access.ts";
import { evaluationHandlers } from "./handlers/evaluations.ts";
import { eventHandlers } from "./handlers/events.ts";
import { itemHandlers } from "./handlers/items.ts";
import { modelFolderHandlers } from "./handlers/model-folder.ts";
import { modelHandlers } from "./handlers/models.ts";
import { similarHandlers } from "./handlers/similar.ts";
import { systemHandlers } from "./handlers/system.ts";
import { userHandlers } from "./handlers/users.ts";
import { OwnAnswer, sendOwn } from "./own-answer.ts";
import { contractValidator } from "./validation.ts";

const handlers: Handlers = {
  ...similarHandlers,
  ...itemHandlers,
  ...eventHandlers,
  ...userHandlers,
  ...modelHandlers,
  ...modelFolderHandlers,
  ...evaluationHandlers,
  ...accessHandlers,
  ...systemHandlers,
};

/** Of a route that asks nothing there. */
const NO_QUERY = z.strictObject({});

export interface RegisterOptions {
  /** Bytes of a body that puts items. */
  itemsBodyLimit: number;
}

export function registerRoutes(
  app: FastifyInstance,
  context: ServerContext,
  { itemsBodyLimit }: RegisterOptions,
): void {
  app.setValidatorCompiler(contractValidator as FastifySchemaCompiler<unknown>);
  for (const route of allRoutes) {
    const handler = handlers[route.name as keyof Handlers] as Handler<never>;
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      config: {
        name: route.name,
        scope: route.name === "health" ? "public" : route.scope === "public" ? "read" : route.scope,
        tokens: route.tokens,
        user:
          route.user === undefined
            ? nobodys
            : ({ params, query, body }) =>
                namedUsers(route, { params, query, body }).filter((user) => user !== undefined),
      },
      ...(route.name === "putItems" ? { bodyLimit: itemsBodyLimit } : {}),
      schema: {
        ...(route.params ? { params: route.params } : {}),
        querystring: route.querystring ?? NO_QUERY,
        ...(route.body ? { body: route.body } : {}),
      },
      handler: async (request, reply) => {
        const { params, query, body, caller } = request;
        const asked = {
          params,
          query,
          body,
          caller,
          signal: whileConnected(request),
        } as unknown as Asked<never>;
        const answer = await handler(context, asked);
        if (route.produces === undefined) return answer;
        reply.type(route.produces);
        return (answer as unknown) instanceof OwnAnswer ? sendOwn(request, reply, answer) : reply.send(answer);
      },
    });
  }
  for (const [url, { type, text }] of Object.entries(docsFiles)) {
    if (allRoutes.some(({ path }) => path === url)) continue;
    app.route({
      method: "GET",
      url,
      config: { name: "docs", scope: "read", tokens: false },
      handler: (_, reply) => reply.type(type).send(text),
    });
  }
}

/** By connection: on one that stays open, requests come one after the other, so that they can share a signal. */
const connected = new WeakMap<Socket, AbortSignal>();

/** Aborted when the client goes away. */
function whileConnected({ raw: { socket } }: FastifyRequest): AbortSignal {
  const known = connected.get(socket);
  if (known) return known;
  const controller = new AbortController();
  connected.set(socket, controller.signal);
  socket.once("close", () => controller.abort());
  return controller.signal;
}
