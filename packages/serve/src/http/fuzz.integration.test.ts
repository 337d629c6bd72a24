// Every route of the contract, asked at random from its own schemas: whatever comes, the answer is one that the contract knows, and nothing that
// was not asked to change has changed. `NEARKIN_SEED=<n>` repeats a run, `NEARKIN_RUNS=<n>` asks more often.
import { allRoutes, apiErrors, errorSchema, openApi, type Route, type RouteName } from "@nearkin/client/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RawRequest, requestsOf } from "../testing/arbitrary-requests.ts";
import { type Known, keysOf } from "../testing/arbitrary-values.ts";
import { filters, knownValues } from "../testing/known-values.ts";
import { TinyServer } from "../testing/tiny-server.ts";

const seed = Number(process.env.NEARKIN_SEED ?? Date.now() % 2 ** 31);
const RUNS = Number(process.env.NEARKIN_RUNS ?? 60);
/** Routes that take their time. */
const FEWER: Partial<Record<RouteName, number>> = {
  activateModel: 15,
  rollbackModel: 8,
  validateModel: 12,
  measureIndex: 15,
};
/** Of requests to one route, at most. */
const ROUNDS = 8;
/** What any path or address may be answered, whatever the route. */
const OF_ADDRESSES = ["NOT_FOUND", "METHOD_NOT_ALLOWED", "URI_TOO_LONG", "BAD_REQUEST"];

let tiny: TinyServer;
let known: Known;
let before: object;
beforeAll(async () => {
  tiny = await TinyServer.open({ folders: { films: {}, others: { seed: 8 } }, keys: "on", rate: null });
  const { key } = await tiny.server.context.keys.create({ name: "test", scopes: ["admin"] });
  tiny.headers = { authorization: `Bearer ${key}` };
  known = await knownValues(tiny);
  before = await untouched();
});
afterAll(() => tiny[Symbol.asyncDispose]());

describe(`requests at random (NEARKIN_SEED=${seed})`, () => {
  test.each(allRoutes.map((route) => [route.name, route] as const))("%s", async (name, route) => {
    const statuses = new Map<number, number>();
    // Few of the bodies that a large schema allows fit the model too: some more rounds, until the handler was entered.
    for (let round = 0; round < ROUNDS && !statuses.has(200); round++) {
      await fc.assert(
        fc.asyncProperty(requestsOf(route, knownOf(route)), async (request) => {
          const status = await check(route, request);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }),
        { seed: seed + round, numRuns: FEWER[name as RouteName] ?? RUNS },
      );
    }
    expect([...statuses.keys()]).toContain(200);
  });

  test("leave alone what they were not about, and the server able to start again", async () => {
    expect(await untouched()).toEqual(before);
    await tiny.server.context.texts.idle();
    const list = async () =>
      (await tiny.answer("similarToItem", { params: { id: "f030" }, query: { k: "200" } })).items;
    const [items, { items: size }] = [await list(), await tiny.answer("getIndex")];
    await tiny.stop();
    await tiny.start();
    expect((await tiny.answer("getIndex")).items).toBe(size);
    expect(await list()).toEqual(items);
    expect(await untouched()).toEqual(before);
  });
});

/** What the route's ids are of. */
function knownOf({ tag, path }: Route): Known {
  const id = tag === "users" ? known.user : tag === "models" ? known.model : tag === "access" ? known.key : known.item;
  const items = path === "/v1/similar" ? { items: fc.oneof(known.item, fc.record({ draft: known.channels })) } : {};
  const name = tag === "models" ? known.file : known.result;
  return { ...known, "params.id": id, "params.other": known.item, "params.name": name, filter: filters, ...items };
}

/** The answer is one of the contract's; its status. */
async function check(route: Route, request: RawRequest): Promise<number> {
  const response = await tiny.server.app.inject({ ...request, headers: { ...request.headers, ...tiny.headers } });
  const { statusCode: status, body, headers } = response;
  const said = `${status} ${body.slice(0, 2000)}`;
  expect(status, said).toBeLessThan(500);
  if (status < 300) {
    expect(status).toBe(200);
    expect(headers["content-type"], said).toContain((route.produces ?? "application/json").split(";")[0]);
    const answer = route.produces === undefined ? response.json() : body;
    const { error } = route.response.safeParse(answer);
    expect(error?.issues, said).toBeUndefined();
    return status;
  }
  const { error } = errorSchema.parse(response.json());
  expect(apiErrors[error.code].status, said).toBe(status);
  if (!OF_ADDRESSES.includes(error.code)) expect(documented(route, status) ?? "", said).toContain(`\`${error.code}\``);
  expect(error.message.length, said).toBeGreaterThan(10);
  if (error.code === "BAD_REQUEST" && !/^(?:the (?:body|query|path): |The URL )/.test(error.message)) {
    expect(isPlace(route, request, error.field ?? ""), said).toBe(true);
  }
  return status;
}

const { paths } = openApi();

/** What the documentation says of a status of a route. */
const documented = ({ path, method }: Route, status: number): unknown =>
  paths[path][method.toLowerCase()].responses[status]?.description;

/** Whether a field names a place that the request has, or should have. */
function isPlace({ params, query, body }: Route, { url, payload }: RawRequest, field: string): boolean {
  const sent = [...new URL(url, "http://localhost").searchParams.keys(), ...keysOfJson(payload)];
  const known = [params, query, body].flatMap((schema) => (schema ? keysOf(schema) : []));
  const quoted = /^\["(.*)"\]/s.exec(field); // a key that is no word
  if (quoted) return sent.length > 0;
  return [...sent.map((key) => key.slice(0, 64)), ...known].includes(/^[^.[]*/.exec(field)?.[0] ?? "");
}

function keysOfJson(text = ""): string[] {
  try {
    return Object.keys(JSON.parse(text));
  } catch {
    return [];
  }
}

/** What nobody asked to change: items, a user, keys, the list of models. */
async function untouched(): Promise<object> {
  await tiny.answer("activateModel", { params: { id: "films" } });
  const items = await Promise.all(
    ["f030", "f034", "f039", "kept"].map((id) => tiny.answer("getItem", { params: { id } })),
  );
  await tiny.server.context.refresh.idle(); // a change of models fits everybody anew
  const user = await tiny.answer("getUser", { params: { id: "keeper" } });
  const { fit: _, ...metric } = await tiny.answer("getMetric", { params: { id: "keeper" } });
  const { events } = await tiny.answer("getUserEvents", { params: { id: "keeper" } });
  const { models } = await tiny.answer("listModels");
  const names = models.map(({ id, folder, problems }) => ({ id, folder, problems }));
  const { keys } = await tiny.answer("listKeys");
  const kept = keys.filter(({ name }) => name === "kept");
  return { items, user, metric, events, names, kept };
}
