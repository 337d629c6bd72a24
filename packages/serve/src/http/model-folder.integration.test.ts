import { createHash } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { modelFiles, openModel } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TinyServer, writeTinyModel } from "../testing/tiny-server.ts";

let tiny: TinyServer;
let id: string;
beforeAll(async () => {
  tiny = await TinyServer.open({ folders: { films: {}, others: { seed: 8 }, torn: { seed: 9 } }, keys: "on" });
  const { key } = await tiny.server.context.keys.create({ name: "test", scopes: ["admin"] });
  tiny.headers = { authorization: `Bearer ${key}` };
  id = (await tiny.answer("getModel", { params: { id: "films" } })).id as string;
});
afterAll(() => tiny[Symbol.asyncDispose]());

const at = (folder: string, file: string) => join(tiny.folder, "models", folder, file);
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** The bytes and headers of a file, as they come. */
async function fetched(model: string, name: string, { method = "GET" as "GET" | "HEAD", headers = {} } = {}) {
  const url = `/v1/models/${encodeURIComponent(model)}/files/${encodeURIComponent(name)}`;
  const answer = await tiny.server.app.inject({
    method,
    url,
    headers: { host: "localhost", ...tiny.headers, ...headers },
  });
  return { status: answer.statusCode, bytes: new Uint8Array(answer.rawPayload), headers: answer.headers };
}

describe("files of a model", () => {
  test("are those that core opens it from, and no other, whatever lies in the folder", async () => {
    for (const file of ["history.parquet", "users.parquet", "users.jsonl", "training.json", ".secret"]) {
      writeFileSync(at("films", file), "u0001");
    }
    const { files, bytes, ...model } = await tiny.answer("listModelFiles", { params: { id: "films" } });
    expect(files.map(({ name }) => name).sort()).toEqual([...modelFiles].sort());
    expect(model).toEqual({ id, folder: "films" });
    expect(bytes).toBe(files.reduce((sum, file) => sum + file.bytes, 0));
    for (const { name, bytes: size, sha256: hash } of files) {
      const own = readFileSync(at("films", name));
      expect([name, size, hash]).toEqual([name, own.length, sha256(own)]);
      const got = await fetched("films", name);
      expect([got.status, Buffer.compare(got.bytes, own)]).toEqual([200, 0]);
    }
    for (const name of [
      "history.parquet",
      "users.parquet",
      "training.json",
      ".secret",
      "../films/model.json",
      "..",
      "",
    ]) {
      const { status, bytes: text } = await fetched("films", name);
      expect([400, 404]).toContain(status);
      expect(Buffer.from(text).toString()).not.toContain("u0001");
    }
  });

  test("alone make a model that answers as the server does", async () => {
    const { files } = await tiny.answer("listModelFiles", { params: { id } });
    const read: string[] = [];
    await using model = await openModel(async (name) => {
      if (!files.some((file) => file.name === name)) throw new Error(`${name} is not listed`);
      read.push(name);
      return (await fetched(id, name)).bytes;
    });
    expect(read.sort()).toEqual(files.map(({ name }) => name).sort());
    for (const item of ["f000", "f017"]) {
      const own = await model.similar(item, { k: 39, explain: true });
      const { items } = await tiny.answer("similarToItem", {
        params: { id: item },
        query: { k: "39", explain: "true" },
      });
      expect(items.map(({ id: one, score, distance }) => [one, score, distance])).toEqual(
        own.items.map((one) => [one.id, one.score, one.distance]),
      );
      expect(items[0].contributions?.map(({ channel, contribution }) => [channel, contribution])).toEqual(
        own.items[0].contributions?.map(({ channel, contribution }) => [channel, contribution]),
      );
    }
    const ratings = [
      { item: "f002", rating: 5 },
      { item: "f012", rating: 1 },
      { item: "f019", rating: 4 },
    ];
    const metric = model.personalize(ratings);
    const answer = await tiny.answer("personalize", { params: { id: "nobody" }, body: { ratings } });
    expect([answer.weights, answer.popularity]).toEqual([metric.weights, metric.popularity]);
    const lists = [
      await model.similar("f000", { k: 10, weights: metric.weights, popularity: metric.popularity }),
      await tiny.answer("similar", {
        body: { items: ["f000"], k: 10, weights: metric.weights, popularity: metric.popularity },
      }),
    ];
    const ids = lists.map(({ items }) => items.map((one) => one.id));
    expect(ids[1]).toEqual(ids[0]);
  });

  test("may be kept for good by the model's id, and are asked for anew by its folder; HEAD says the same without the bytes", async () => {
    const own = readFileSync(at("films", "items.safetensors"));
    const etag = `"${sha256(own)}"`;
    const byId = await fetched(id, "items.safetensors");
    expect(byId.headers).toMatchObject({
      etag,
      "cache-control": "private, max-age=31536000, immutable",
      "content-type": "application/octet-stream",
      "content-length": String(own.length),
      "x-content-type-options": "nosniff",
    });
    for (const name of ["films", id.slice(0, 12)]) {
      expect((await fetched(name, "items.safetensors")).headers["cache-control"]).toBe("private, no-cache");
    }
    for (const file of ["items.safetensors", "model.json"]) {
      const whole = await fetched(id, file);
      const head = await fetched(id, file, { method: "HEAD" });
      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      for (const header of ["etag", "content-length", "content-type", "cache-control"]) {
        expect([header, head.headers[header]]).toEqual([header, whole.headers[header]]);
      }
    }
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const same = await fetched("films", "items.safetensors", { headers: { "if-none-match": known } });
      expect([same.status, same.bytes.length, same.headers.etag]).toEqual([304, 0, etag]);
    }
    const other = await fetched("films", "items.safetensors", { headers: { "if-none-match": '"other"' } });
    expect([other.status, other.bytes.length]).toEqual([200, own.length]);
  });

  test("are for keys and tokens that may read", async () => {
    const { keys, tokens } = tiny.server.context;
    const { record } = await keys.create({ name: "shop", scopes: ["read", "events"] });
    const bearer = (scopes: ("read" | "events")[]) => ({
      authorization: `Bearer ${tokens.issue(record, { user: "ann", scopes }).token}`,
    });
    expect((await fetched(id, "catalogue.json", { headers: bearer(["read"]) })).status).toBe(200);
    expect((await fetched(id, "catalogue.json", { headers: bearer(["events"]) })).status).toBe(403);
  });

  test("that are cut, lost or of no model are a BAD_MODEL, before a byte is sent", async () => {
    truncateSync(at("torn", "items.safetensors"), 100);
    rmSync(at("torn", "catalogue.json"));
    for (const method of ["GET", "HEAD"] as const) {
      expect((await fetched("torn", "items.safetensors", { method })).status).toBe(422);
    }
    const { error, headers } = await tiny.ask("getModelFile", { params: { id: "torn", name: "items.safetensors" } });
    expect([error.code, error.message]).toEqual([
      "BAD_MODEL",
      expect.stringMatching(/^torn: items\.safetensors has 100 bytes instead of \d+$/),
    ]);
    expect([headers["cache-control"], headers.etag]).toEqual(["no-store", undefined]);
    const lost = await tiny.ask("getModelFile", { params: { id: "torn", name: "catalogue.json" } });
    expect([lost.status, lost.error.message]).toEqual([422, "torn: catalogue.json is not there"]);
    appendFileSync(at("torn", "model.json"), "}");
    for (const name of ["listModelFiles", "getTraining"] as const) {
      const refused = await tiny.ask(name, { params: { id: "torn" } });
      expect([refused.status, refused.error.code]).toEqual([422, "BAD_MODEL"]);
    }
  });

  test("that model.json lists and nobody may have are refused", async () => {
    await writeTinyModel(join(tiny.folder, "models", "sly"), { seed: 11 });
    const manifest = JSON.parse(readFileSync(at("sly", "model.json"), "utf8"));
    manifest.files[0].name = "../../nearkin.db";
    writeFileSync(at("sly", "model.json"), JSON.stringify(manifest));
    expect((await tiny.ask("listModelFiles", { params: { id: "sly" } })).error.code).toBe("BAD_MODEL");
    rmSync(join(tiny.folder, "models", "sly"), { recursive: true });
  });
});

test.each([
  ["tokens", { local: 200, key: 200, token: 200 }],
  ["keys", { local: 200, key: 200, token: 403 }],
  ["off", { local: 403, key: 403, token: 403 }],
] as const)("with modelFiles: %s, files but model.json are for these alone", async (modelFiles, expected) => {
  for (const keys of ["on", "off"] as const) {
    await using server = await TinyServer.open({ modelFiles, keys });
    const { keys: ring, tokens } = server.server.context;
    const { key, record } = await ring.create({ name: "test", scopes: ["read"] });
    const { token } = tokens.issue(record, { user: "ann", scopes: ["read"] });
    const callers = keys === "on" ? ({ key, token } as const) : ({ local: undefined } as const);
    for (const [caller, secret] of Object.entries(callers)) {
      const headers: Record<string, string> = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
      const ask = (name: string) => server.ask("getModelFile", { params: { id: "films", name }, headers });
      expect([caller, (await ask("model.json")).status]).toEqual([caller, 200]);
      const { status, error } = await ask("items.safetensors");
      expect([caller, status]).toEqual([caller, expected[caller as keyof typeof expected]]);
      if (status === 403)
        expect([error.code, error.message]).toEqual(["FORBIDDEN", expect.stringMatching(/modelFiles/)]);
    }
  }
});

test("few files are sent at the same time; others wait for their turn, and are answered BUSY when too many do", async () => {
  await using server = await TinyServer.open({ port: 0 });
  const folder = join(server.folder, "models", "large");
  await writeTinyModel(folder, { seed: 12 });
  const manifest = JSON.parse(readFileSync(join(folder, "model.json"), "utf8"));
  const file = manifest.files.find(({ name }: { name: string }) => name === "items.safetensors");
  file.bytes = 64 * 2 ** 20; // more than sockets hold
  writeFileSync(join(folder, "model.json"), JSON.stringify(manifest));
  truncateSync(join(folder, file.name), file.bytes);
  const { modelFileQueue } = server.server.context;
  const { hostname, port } = new URL(await server.server.listen());
  const open = () => {
    const socket = connect(Number(port), hostname); // reads nothing by itself
    socket.write(`GET /v1/models/large/files/${file.name} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
    return socket;
  };
  const sockets = [open(), open(), open(), open()];
  try {
    await expect.poll(() => modelFileQueue.size).toBe(4);
    await Promise.all(sockets.map((socket) => once(socket, "readable")));
    const waiting = open();
    sockets.push(waiting);
    await expect.poll(() => modelFileQueue.size).toBe(5);
    expect(waiting.readableLength).toBe(0);
    const others = Array.from({ length: 31 }, () => modelFileQueue.run(() => {}, { caller: "" }));
    const { status, error, headers } = await server.ask("getModelFile", { params: { id: "large", name: file.name } });
    expect([status, error.code, headers["retry-after"]]).toEqual([503, "BUSY", "1"]);
    sockets[0].destroy();
    await once(waiting, "readable");
    expect(String(waiting.read())).toMatch(/^HTTP\/1.1 200/);
    for (const socket of sockets) socket.destroy();
    await Promise.all(others);
    await expect.poll(() => modelFileQueue.size).toBe(0);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

describe("how a model was trained", () => {
  const curves = {
    every: 2,
    points: [{ step: 2, loss: 1.5, nll: null, noise: null, weights: { genres: 1 } }],
    validation: [{ step: 2, hr: 0.5, mrr: 0.4, ndcg: 0.3, holdoutNll: null }],
  };

  test("is told of old folders too, with what they do not keep", async () => {
    const answer = await tiny.answer("getTraining", { params: { id: "others" } });
    expect(answer.missing).toEqual([
      "curves: the folder has no training.json; models trained from now on have one",
      "times: the folder has no timing.json; models trained from now on have one",
    ]);
    expect(answer.timing).toBeNull();
    expect(answer.stages.length).toBeGreaterThan(0);
    for (const stage of answer.stages) expect([stage.curves, stage.seconds]).toEqual([null, null]);
    expect(answer.noise.variance).toBeGreaterThan(0);
  });

  test("has the curves and the times where the folder has them", async () => {
    const { model, stages } = await tiny.answer("getTraining", { params: { id: "others" } });
    const [{ name }] = stages;
    const training = { format: "nearkin-training", version: 1, model, stages: [{ name, curves }] };
    const time = { started: 5, seconds: 9, resumed: false, cores: 2 };
    const timing = { format: "nearkin-timing", version: 1, model, ...time, stages: [{ name, seconds: 4 }] };
    writeFileSync(at("others", "training.json"), JSON.stringify(training));
    writeFileSync(at("others", "timing.json"), JSON.stringify(timing));
    const answer = await tiny.answer("getTraining", { params: { id: "others" } });
    expect(answer).toMatchObject({ timing: time, missing: [] });
    expect(answer.stages[0]).toMatchObject({ name, curves, seconds: 4 });

    writeFileSync(at("others", "training.json"), JSON.stringify({ ...training, model: "another" }));
    writeFileSync(at("others", "timing.json"), "{");
    const spoilt = await tiny.answer("getTraining", { params: { id: "others" } });
    expect(spoilt.missing).toEqual(["curves: training.json is of another model", "times: timing.json is not JSON"]);
    writeFileSync(at("others", "training.json"), " ".repeat(8 * 2 ** 20 + 1));
    expect((await tiny.answer("getTraining", { params: { id: "others" } })).missing[0]).toContain("more than the");
  });
});
