// A request for every route, as a tiny server answers with 200: asked in the order of the contract's table, each finds what it is about.
import type { RouteName } from "@nearkin/client/contract";
import type { Request, TinyServer } from "./tiny-server.ts";

export interface Names {
  /** Whose request it is, where the route has a user. */
  user: string;
  /** An item that is put, found and deleted. */
  item: string;
  /** Of all that people write: titles, plots, words of a search. */
  text: string;
  /** Of a list that the server gave out. */
  recommendation: string;
}

/** A server with two models, on which `validRequests` work, and a list that feedback can be about. */
export async function prepareFor(tiny: TinyServer, names: Omit<Names, "recommendation">): Promise<Names> {
  await tiny.answer("putItem", { params: { id: names.item }, body: { channels: { year: 1961 } } });
  await tiny.answer("activateModel", { params: { id: "others" } }); // rollback has somewhere to go
  const { recommendation } = await tiny.answer("similarToItem", { params: { id: "f000" } });
  return { ...names, recommendation };
}

export const twoModels = { films: {}, others: { seed: 8 } };

export function validRequests({ user, item, text, recommendation }: Names): Readonly<Record<RouteName, Request>> {
  const params = { id: item };
  const ofUser = { params: { id: user } };
  const content = { title: text, channels: { year: 1961, genres: ["War"], plot: text }, fields: { length: 90 } };
  return {
    similarToItem: { params, query: { user, exclude: item } },
    similar: { body: { items: [item, { draft: { plot: text } }], user, filter: { field: "title", matches: text } } },
    explain: { params: { id: item, other: "f001" }, query: { user } },
    predict: { body: { item, user } },
    listItems: { query: { search: text } },
    getItem: { params },
    putItems: { body: { items: [{ id: item, ...content }] } },
    putItem: { params, body: content },
    deleteItem: { params },
    deleteItems: { body: { ids: [item] } },
    addEvents: { body: { events: [{ user, item, rating: 4, type: text }] } },
    addFeedback: { body: { feedback: [{ user, item, recommendation, action: text }] } },
    listUsers: { query: { limit: "5" } },
    getUser: ofUser,
    deleteUser: ofUser,
    getUserEvents: ofUser,
    getMetric: ofUser,
    putMetric: { ...ofUser, body: { weights: { genres: 2 } } },
    deleteMetric: ofUser,
    personalize: { ...ofUser, body: {} },
    nextQuestion: { ...ofUser, query: { k: "1" } },
    because: ofUser,
    listModels: {},
    getModel: { params: { id: "films" } },
    activateModel: { params: { id: "films" } },
    rollbackModel: {},
    validateModel: { params: { id: "others" } },
    listModelFiles: { params: { id: "films" } },
    getModelFile: { params: { id: "films", name: "items.safetensors" } },
    getTraining: { params: { id: "others" } },
    listEvaluations: {},
    getEvaluation: { params: { name: "films" } },
    getReport: { params: { name: "films" } },
    getIndex: {},
    measureIndex: { body: { queries: 1, k: 1 } },
    createToken: { body: { user, scopes: ["events"] } },
    listKeys: {},
    createKey: { body: { name: text, scopes: ["read"] } },
    deleteKey: { params: { id: text } },
    health: {},
    ready: {},
    metrics: {},
    openApi: {},
    docs: {},
  };
}

/** The same for `app.inject`, or to be sent by other means. */
export function rawRequest(
  { method, path }: { method: "GET" | "PUT" | "POST" | "DELETE"; path: string },
  { params = {}, query = {}, body }: Request,
) {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key]));
  const search = new URLSearchParams(query as Record<string, string>);
  return {
    method,
    url: search.size > 0 ? `${url}?${search}` : url,
    ...(body === undefined ? {} : { payload: body as object }),
  };
}
