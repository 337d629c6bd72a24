import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { datasets } from "@nearkin/data";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { run } from "../testing/run.ts";

// A zip archive of one file, ml-latest-small/ratings.csv, with one rating.
const archive = Buffer.from(
  "UEsDBBQAAAAAAAAAIQAB3Bs6MAAAADAAAAAbAAAAbWwtbGF0ZXN0LXNtYWxsL3JhdGluZ3MuY3N2dXNlcklkLG1vdmllSWQscmF0" +
    "aW5nLHRpbWVzdGFtcAoxLDEsNCw5NjQ5ODI3MDMKUEsBAhQDFAAAAAAAAAAhAAHcGzowAAAAMAAAABsAAAAAAAAAAAAAAIABAAAA" +
    "AG1sLWxhdGVzdC1zbWFsbC9yYXRpbmdzLmNzdlBLBQYAAAAAAQABAEkAAABpAAAAAAA=",
  "base64",
);
const md5 = createHash("md5").update(archive).digest("hex");

let folder: string;
let server: Server;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-download-"));
  server = createServer((request, response) => {
    if (request.url === "/ml-latest-small.zip.md5") response.end(`${md5}  ml-latest-small.zip\n`);
    else if (request.url === "/ml-latest-small.zip") response.end(archive);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.stubEnv("NEARKIN_MIRROR", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  for (const name of ["HTTP_PROXY", "http_proxy"]) vi.stubEnv(name, "");
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await close();
  rmSync(folder, { recursive: true });
});

async function close(): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Runs the command; what differs from run to run by a word. */
async function download(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { code, out, err } = await run("download", ...args);
  const plain = (text: string) => text.replaceAll(folder, "FOLDER").replace(/127\.0\.0\.1:\d+/g, "HOST");
  return { code, out: plain(out), err: plain(err) };
}

test("fetches and unpacks, says what came and what is next", async () => {
  const first = await download("ml-latest-small", "--out", join(folder, "films"));
  expect(first.code).toBe(0);
  expect(first.out.replace(md5, "MD5")).toMatchInlineSnapshot(`
    "MovieLens Latest Small is in FOLDER/films (1 file, 48 B; archive md5 MD5)
    Licence: research, not commercial; https://files.grouplens.org/datasets/movielens/ml-latest-small-README.html
    Next:    nearkin prepare --layout movielens FOLDER/films --out datasets/films
    "
  `);
  expect(first.err).toMatchInlineSnapshot(`
    "fetching: 0 B of 200 B (0 %)
    fetching: 200 B of 200 B (100 %)
    unpacking: 48 B of 48 B (100 %)
    "
  `);
  expect(readFileSync(join(folder, "films/ratings.csv"), "utf8")).toContain("964982703");
  expect(existsSync(join(folder, "ml-latest-small.zip"))).toBe(false);
  const again = await download("movielens-latest-small", "--out", join(folder, "films"));
  expect(again.out.split("\n")[0].replace(md5, "MD5")).toMatchInlineSnapshot(
    `"MovieLens Latest Small is already there: FOLDER/films (1 file, 48 B; archive md5 MD5)"`,
  );
});

test("--json is one document, --keep-archive keeps the archive", async () => {
  const { out } = await download("ml-latest-small", "--out", join(folder, "films"), "--json", "--keep-archive");
  expect(JSON.parse(out)).toMatchObject({
    name: "movielens-latest-small",
    folder: "FOLDER/films",
    md5,
    alreadyThere: false,
    archive: "FOLDER/ml-latest-small.zip",
    layout: "movielens",
    files: [{ path: "ratings.csv", bytes: 48 }],
    next: "nearkin prepare --layout movielens FOLDER/films --out datasets/films",
  });
  expect(readFileSync(join(folder, "ml-latest-small.zip"))).toEqual(archive);
});

test("--list shows every dataset in columns, with its size, layout and terms", async () => {
  const [head, ...rows] = (await download("--list")).out.trimEnd().split("\n");
  const starts = Array.from(head.matchAll(/\S+/g), ({ index }) => index);
  expect(head.split(/ +/)).toEqual(["name", "download", "layout", "licence"]);
  const cells = rows.map((row) =>
    [
      row.slice(0, starts[1]),
      row.slice(starts[1], starts[2]),
      row.slice(starts[2], starts[3]),
      row.slice(starts[3]),
    ].map((cell) => cell.trim()),
  );
  expect(cells.map(([name, , layout, terms]) => [name, layout, terms])).toEqual(
    datasets.map(({ name, layout, licence, licenceUrl }) => [name, layout, `${licence}; ${licenceUrl}`]),
  );
  const sizes = Object.fromEntries(cells.map(([name, size]) => [name, size]));
  expect(sizes).toMatchObject({ "movielens-latest-small": "1.0 MB", "movielens-25m": "262 MB", yelp: "by hand" });
  expect(JSON.parse((await download("--list", "--json")).out)).toEqual({ datasets });
});

test("what cannot be fetched is said in one line", async () => {
  expect(await download("yelp", "--out", "data/yelp")).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "DOWNLOAD_FAILED: Yelp Open Dataset cannot be fetched by a program (Yelp asks everyone to accept its terms in a form); get it from https://business.yelp.com/data/resources/open-dataset/ and put its yelp_academic_dataset_*.json files into data/yelp; then: nearkin prepare --layout yelp data/yelp
    ",
      "out": "",
    }
  `);
  expect(await download("ml-1m", "--out", join(folder, "x"))).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "DOWNLOAD_FAILED: http://HOST/ml-1m.zip answered 404 Not Found; fetch https://files.grouplens.org/datasets/movielens/ml-1m.zip elsewhere and unpack it so that FOLDER/x/ratings.dat is there; then: nearkin prepare --layout movielens FOLDER/x
    ",
      "out": "",
    }
  `);
  await close();
  expect(await download("ml-25m", "--out", join(folder, "x"))).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "DOWNLOAD_FAILED: cannot reach HOST (no network?); fetch https://files.grouplens.org/datasets/movielens/ml-25m.zip elsewhere and unpack it so that FOLDER/x/ratings.csv is there; then: nearkin prepare --layout movielens FOLDER/x
    ",
      "out": "",
    }
  `);
});

test("a wrong or missing name is a usage error", async () => {
  expect(await download("netflix")).toMatchInlineSnapshot(`
    {
      "code": 2,
      "err": "USAGE: command-argument value 'netflix' is invalid for argument 'name'. Known are movielens-latest-small, movielens-100k, movielens-1m, movielens-20m, movielens-32m, movielens-25m, movielens-latest, yelp, amazon-reviews.
    Try: nearkin download --help
    ",
      "out": "",
    }
  `);
  expect(await download()).toMatchInlineSnapshot(`
    {
      "code": 2,
      "err": "USAGE: missing argument 'name': which dataset? See --list.
    Try: nearkin download --help
    ",
      "out": "",
    }
  `);
});
