import { spawn } from "node:child_process";
import { existsSync, statSync, symlinkSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { patience } from "@nearkin/core/testing";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FetchOptions, fetchFile } from "./fetch.ts";
import { failure, md5, testFolder } from "./testing/folder.ts";
import { closedAddress, serve } from "./testing/server.ts";

const body = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7 + (i >> 8)) % 251));
const quick: Omit<FetchOptions, "md5"> = { retrySeconds: 0.001, stallSeconds: 10 * patience };
const right = { ...quick, md5: md5(body) };

// A proxy of the machine that runs the tests is not meant.
beforeEach(() => {
  for (const name of ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"]) vi.stubEnv(name, "");
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test("fetches a file, tells how far it is, and leaves nothing else behind", async () => {
  await using folder = await testFolder();
  await using server = await serve({ "a.zip": { body } });
  const seen: [number, number | undefined][] = [];
  const options = { ...right, onProgress: (...progress: [number, number | undefined]) => void seen.push(progress) };
  const result = await fetchFile(`${server.url}a.zip`, folder.file("deep/a.zip"), options);
  expect(result).toEqual({ bytes: body.length, alreadyThere: false });
  expect(await readFile(folder.file("deep/a.zip"))).toEqual(body);
  expect(await folder.list()).toEqual(["deep", "deep/a.zip"]);
  expect(seen[0]).toEqual([0, body.length]);
  expect(seen.at(-1)).toEqual([body.length, body.length]);
});

test("a file that is there and whole is not fetched again, one that is not whole is not overwritten", async () => {
  await using folder = await testFolder();
  await using server = await serve({ "a.zip": { body } });
  await writeFile(folder.file("a.zip"), body);
  const result = await fetchFile(`${server.url}a.zip`, folder.file("a.zip"), right);
  expect(result).toEqual({ bytes: body.length, alreadyThere: true });
  await writeFile(folder.file("a.zip"), "my own");
  const error = await failure(fetchFile(`${server.url}a.zip`, folder.file("a.zip"), right), folder);
  expect(error).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: FOLDER/a.zip is there, but its md5 is 43a3501148125261ae7acf7062fe2937, expected 32fe68a8898cc2d9f910504fec3d6784; move it away to fetch it anew"`,
  );
  expect(await readFile(folder.file("a.zip"), "utf8")).toBe("my own");
  expect(server.requests).toEqual([]);
});

test("goes on where connections were cut, wherever that was", async () => {
  const cutting = fc.asyncProperty(
    fc.uint8Array({ minLength: 1, maxLength: 5_000, size: "max" }),
    fc.array(fc.nat(5_000), { maxLength: 3 }),
    fc.constantFrom({ etag: '"v1"' }, { lastModified: "Tue, 15 Nov 1994 12:45:26 GMT" }, {}),
    fc.boolean(),
    async (bytes, cuts, version, ranges) => {
      await using folder = await testFolder();
      const data = Buffer.from(bytes);
      await using server = await serve({
        f: { body: data, cuts: cuts.filter((c) => c < data.length), ranges, ...version },
      });
      await fetchFile(`${server.url}f`, folder.file("f"), { ...quick, md5: md5(data) });
      expect(await readFile(folder.file("f"))).toEqual(data);
      expect(await folder.list()).toEqual(["f"]);
    },
  );
  await fc.assert(cutting, { numRuns: 60 });
});

test("asks only for the rest", async () => {
  await using folder = await testFolder();
  await using server = await serve({ f: { body, cuts: [40_000], target: folder.file("f.part"), etag: '"v1"' } });
  await fetchFile(`${server.url}f`, folder.file("f"), right);
  expect(server.requests).toEqual(["f", "f bytes=40000-"]);
});

test("a server without ranges sends everything again", async () => {
  await using folder = await testFolder();
  await using server = await serve({
    f: { body, cuts: [40_000], target: folder.file("f.part"), etag: '"v1"', ranges: false },
  });
  await fetchFile(`${server.url}f`, folder.file("f"), right);
  expect(server.requests).toEqual(["f", "f bytes=40000-"]);
  expect(await readFile(folder.file("f"))).toEqual(body);
});

const newer = Buffer.from(body).reverse();

test.each([
  ["by a server that knows If-Range", { ifRange: true, etag: '"v2"', body: newer }],
  ["by one that does not", { ifRange: false, etag: '"v2"', body: newer }],
  ["by one with a date only", { lastModified: "Wed, 16 Nov 1994 12:45:26 GMT", body: newer }],
  ["and is shorter than what we have", { ifRange: false, body: newer.subarray(0, 30_000) }],
  ["and has another length", { ifRange: false, body: newer.subarray(0, 90_000) }],
])("starts again when the file was changed meanwhile, %s", async (_, changed) => {
  await using folder = await testFolder();
  const version = "etag" in changed ? { etag: '"v1"' } : { lastModified: "Tue, 15 Nov 1994 12:45:26 GMT" };
  await using server = await serve({ f: { body, cuts: [40_000], target: folder.file("f.part"), ...version } });
  await failure(fetchFile(`${server.url}f`, folder.file("f"), { ...right, retries: 0 }), folder);
  expect(statSync(folder.file("f.part")).size).toBe(40_000);
  server.files.set("f", changed);
  await fetchFile(`${server.url}f`, folder.file("f"), { ...quick, md5: md5(changed.body) });
  expect(await readFile(folder.file("f"))).toEqual(changed.body);
});

test.each([
  ["without a note", undefined],
  ["with half a note", '{"url": "http'],
  ["of another address", JSON.stringify({ url: "http://127.0.0.1/other", etag: '"v1"', total: body.length })],
  ["of a version that is only roughly known", JSON.stringify({ url: "URL", etag: 'W/"v1"', total: body.length })],
  ["that is too long", JSON.stringify({ url: "URL", etag: '"v1"', total: 10 })],
])("does not build on a part %s", async (_, note) => {
  await using folder = await testFolder();
  await using server = await serve({ f: { body, etag: '"v1"' } });
  await writeFile(folder.file("f.part"), "x".repeat(100));
  if (note) await writeFile(folder.file("f.part.json"), note.replace("URL", `${server.url}f`));
  await fetchFile(`${server.url}f`, folder.file("f"), right);
  expect(server.requests).toEqual(["f"]);
  expect(await folder.list()).toEqual(["f"]);
});

test("a part that is complete needs only its check", async () => {
  await using folder = await testFolder();
  await using server = await serve();
  await writeFile(folder.file("f.part"), body);
  await writeFile(
    folder.file("f.part.json"),
    JSON.stringify({ url: `${server.url}f`, etag: '"v1"', total: body.length }),
  );
  await fetchFile(`${server.url}f`, folder.file("f"), right);
  expect(server.requests).toEqual([]);
  expect(await folder.list()).toEqual(["f"]);
});

test("a wrong checksum is an error that names both, and nothing is kept", async () => {
  await using folder = await testFolder();
  await using server = await serve({ f: { body } });
  const error = await failure(fetchFile(`${server.url}f`, folder.file("f"), { ...quick, md5: "0".repeat(32) }), folder);
  expect(error).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: the md5 of http://HOST/f is 32fe68a8898cc2d9f910504fec3d6784, expected 00000000000000000000000000000000; nothing was kept: it was damaged on its way, or the publisher changed it; try once more"`,
  );
  expect(await folder.list()).toEqual([]);
});

test("a body that always ends early is given up after some attempts; what came is kept", async () => {
  await using folder = await testFolder();
  await using server = await serve({
    f: { body, cuts: [10, 20, 30, 40], target: folder.file("f.part"), etag: '"v1"' },
  });
  const error = await failure(fetchFile(`${server.url}f`, folder.file("f"), { ...right, advice: "not this" }), folder);
  expect(error).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: the connection to HOST broke off, 4 times in a row; try again, it goes on where it stopped"`,
  );
  expect(server.requests).toEqual(["f", "f bytes=10-", "f bytes=20-", "f bytes=30-"]);
  expect(await folder.list()).toEqual(["f.part", "f.part.json"]);
});

test("a long file may break off often, as long as it advances", async () => {
  await using folder = await testFolder();
  const long = Buffer.alloc(8 << 20, "nearkin");
  const cuts = [1, 2, 3, 4, 5, 6, 7].map((n) => n * ((1 << 20) + 100));
  await using server = await serve({ f: { body: long, cuts, target: folder.file("f.part"), etag: '"v1"' } });
  await fetchFile(`${server.url}f`, folder.file("f"), { ...quick, retries: 1, md5: md5(long) });
  expect(server.requests).toHaveLength(8);
});

test("a cut body of unknown length is noticed", async () => {
  await using folder = await testFolder();
  await using server = await serve({
    f: { body, chunked: true, cuts: [500], target: folder.file("f.part"), etag: '"v1"' },
  });
  await fetchFile(`${server.url}f`, folder.file("f"), right);
  expect(server.requests).toEqual(["f", "f bytes=500-"]);
});

test("404 is said at once", async () => {
  await using folder = await testFolder();
  await using server = await serve();
  const error = await failure(
    fetchFile(`${server.url}f`, folder.file("f"), { ...right, advice: "look there" }),
    folder,
  );
  expect(error).toMatchInlineSnapshot(`"DOWNLOAD_FAILED: http://HOST/f answered 404 Not Found; look there"`);
  expect(server.requests).toEqual(["f"]);
  expect(await folder.list()).toEqual([]);
});

test("a server that is out of order gets some time", async () => {
  await using folder = await testFolder();
  await using server = await serve({ f: { body, statuses: [503, 429] } });
  await fetchFile(`${server.url}f`, folder.file("f"), right);
  server.files.set("g", { body, statuses: [503, 503, 503, 503] });
  expect(await failure(fetchFile(`${server.url}g`, folder.file("g"), right), folder)).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: http://HOST/g answered 503 Service Unavailable, 4 times in a row"`,
  );
});

test("a server that goes silent is given up, and its bytes are kept", async () => {
  await using folder = await testFolder();
  await using server = await serve({ f: { body, silentAt: 5_000, etag: '"v1"' } });
  const stallSeconds = patience / 2;
  const options = { ...right, stallSeconds, retries: 1 };
  expect(await failure(fetchFile(`${server.url}f`, folder.file("f"), options), folder)).toBe(
    `DOWNLOAD_FAILED: HOST sent nothing for ${stallSeconds} s, 2 times in a row; try again, it goes on where it stopped`,
  );
  expect(server.requests).toEqual(["f", "f bytes=5000-"]);
  expect(statSync(folder.file("f.part")).size).toBe(5_000);
});

test("without a network it says so at once, and what to do", async () => {
  await using folder = await testFolder();
  const url = `${await closedAddress()}f`;
  const options = { ...right, retrySeconds: 1000, advice: "fetch it elsewhere" };
  expect(await failure(fetchFile(url, folder.file("f"), options), folder)).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: cannot reach HOST (no network?); fetch it elsewhere"`,
  );
});

test("a proxy that is set but not used is named", async () => {
  await using folder = await testFolder();
  const url = `${await closedAddress()}f`;
  vi.stubEnv("http_proxy", "http://proxy.example.org:3128");
  vi.stubEnv("NODE_USE_ENV_PROXY", "");
  expect(await failure(fetchFile(url, folder.file("f"), right), folder)).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: cannot reach HOST (no network? HTTP_PROXY is set, but Node uses it only with NODE_USE_ENV_PROXY=1, from version 22.21 on)"`,
  );
});

test("a name that nobody knows is no network either", async () => {
  await using folder = await testFolder();
  const error = await failure(fetchFile("http://nobody.invalid/f", folder.file("f"), right), folder);
  expect(error).toMatchInlineSnapshot(`"DOWNLOAD_FAILED: cannot reach nobody.invalid (no network?)"`);
});

test.each([
  [coded("CERT_HAS_EXPIRED"), "the certificate of example.org is not accepted (CERT_HAS_EXPIRED); go there"],
  [new Error("Proxy response (403) !== 200"), "the proxy does not let us reach example.org; go there"],
  [new AggregateError([coded("ENETUNREACH")]), "cannot reach example.org (no network?); go there"],
])("is not tried again: %s", async (cause, message) => {
  await using folder = await testFolder();
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("fetch failed", { cause })));
  const work = fetchFile("https://example.org/f", folder.file("f"), {
    ...right,
    retrySeconds: 1000,
    advice: "go there",
  });
  expect(await failure(work, folder)).toBe(`DOWNLOAD_FAILED: ${message}`);
});

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}

test("can be ended, and goes on later", async () => {
  await using folder = await testFolder();
  await using server = await serve({ f: { body, silentAt: 5_000, etag: '"v1"' } });
  const ended = new AbortController();
  const onProgress = (bytes: number) => {
    if (bytes === 5_000) ended.abort(new Error("enough"));
  };
  const work = fetchFile(`${server.url}f`, folder.file("f"), { ...right, onProgress, signal: ended.signal });
  await expect(work).rejects.toThrow("enough");
  server.files.set("f", { body, etag: '"v1"' });
  await fetchFile(`${server.url}f`, folder.file("f"), right);
  expect(server.requests).toEqual(["f", "f bytes=5000-"]);
});

test("a folder that is a file is named", async () => {
  await using folder = await testFolder();
  await writeFile(folder.file("a"), "");
  await using server = await serve({ f: { body } });
  expect(await failure(fetchFile(`${server.url}f`, folder.file("a/f"), right), folder)).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: cannot write FOLDER/a/f: a part of this path is a file, not a folder; choose another folder"`,
  );
});

test.runIf(existsSync("/dev/full"))("a full disk is called one", async () => {
  await using folder = await testFolder();
  await using server = await serve({ f: { body } });
  symlinkSync("/dev/full", folder.file("f.part"));
  expect(await failure(fetchFile(`${server.url}f`, folder.file("f"), right), folder)).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: cannot write FOLDER/f.part: the disk is full; make room or choose a folder on another disk"`,
  );
});

test("a killed process leaves what the next one goes on from", async () => {
  await using folder = await testFolder();
  await using server = await serve({ f: { body, silentAt: 60_000, etag: '"v1"' } });
  await mkdir(folder.file("out"));
  const [url, file] = [`${server.url}f`, folder.file("out/f")];
  const script = `
    import { fetchFile } from ${JSON.stringify(new URL("./fetch.ts", import.meta.url).href)};
    await fetchFile(${JSON.stringify(url)}, ${JSON.stringify(file)}, { md5: "${right.md5}" });`;
  await writeFile(folder.file("child.mts"), script);
  const tsx = import.meta.resolve("tsx");
  const child = spawn(process.execPath, ["--conditions=@nearkin/source", "--import", tsx, folder.file("child.mts")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const gone = new Promise<NodeJS.Signals | null>((resolve) => child.once("exit", (_, signal) => resolve(signal)));
  try {
    await expect.poll(() => existsSync(`${file}.part`) && statSync(`${file}.part`).size).toBe(60_000);
  } finally {
    child.kill("SIGKILL");
  }
  expect(await gone).toBe("SIGKILL");
  server.files.set("f", { body, etag: '"v1"' });
  await fetchFile(url, file, right);
  expect(server.requests).toEqual(["f", "f bytes=60000-"]);
  expect(await readFile(file)).toEqual(body);
});
