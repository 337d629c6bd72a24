import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { datasets, findDataset } from "./catalogue.ts";
import { type DownloadProgress, downloadDataset, howToPrepare, shellWord } from "./download.ts";
import { failure, md5, testFolder } from "./testing/folder.ts";
import { closedAddress, serve } from "./testing/server.ts";
import { zip } from "./testing/zip.ts";

// The sum of "latest" is asked for, so a test can serve an archive of its own under this name.
const archive = zip([
  { name: "ml-latest-small/ratings.csv", data: "userId,movieId,rating,timestamp\n1,1,4.0,964982703\n" },
  { name: "ml-latest-small/movies.csv", data: "movieId,title,genres\n1,Toy Story (1995),Comedy\n" },
]);
const published = Buffer.from(`MD5 (ml-latest-small.zip) = ${md5(archive)}\n`);
const site = { "ml-latest-small.zip": { body: archive }, "ml-latest-small.zip.md5": { body: published } };
const quick = { retrySeconds: 0.001 };

beforeEach(() => {
  for (const name of ["HTTP_PROXY", "http_proxy"]) vi.stubEnv(name, "");
});

afterEach(() => {
  vi.unstubAllEnvs();
});

test("fetches, checks and unpacks; a second time there is nothing to do, not even a network needed", async () => {
  await using folder = await testFolder();
  await using server = await serve(site);
  const stages = new Set<DownloadProgress["stage"]>();
  const out = folder.file("films");
  const result = await downloadDataset("ml-latest-small", {
    folder: out,
    baseUrl: server.url,
    onProgress: ({ stage }) => void stages.add(stage),
  });
  expect(result).toEqual({
    dataset: findDataset("movielens-latest-small"),
    folder: out,
    url: `${server.url}ml-latest-small.zip`,
    md5: md5(archive),
    files: [
      { path: "ratings.csv", bytes: 50 },
      { path: "movies.csv", bytes: 47 },
    ],
    alreadyThere: false,
  });
  expect([...stages]).toEqual(["fetch", "unpack"]);
  expect(await folder.list()).toEqual([
    "films",
    "films/movies.csv",
    "films/nearkin-download.json",
    "films/ratings.csv",
  ]);
  const again = await downloadDataset("movielens-latest-small", { folder: out, baseUrl: await closedAddress() });
  expect(again).toEqual({ ...result, alreadyThere: true });
  expect(server.requests).toEqual(["ml-latest-small.zip.md5", "ml-latest-small.zip"]);
});

test("the archive is kept when asked for, and used when it is there", async () => {
  await using folder = await testFolder();
  await using server = await serve(site);
  const options = { folder: folder.file("films"), baseUrl: server.url.slice(0, -1) };
  const kept = await downloadDataset("ml-latest-small", { ...options, keepArchive: true });
  expect(kept.archive).toBe(folder.file("ml-latest-small.zip"));
  await rm(options.folder, { recursive: true });
  const found = await downloadDataset("ml-latest-small", options);
  expect(found.archive).toBe(kept.archive); // not ours to delete
  expect(await readFile(kept.archive ?? "")).toEqual(archive);
  expect(server.requests.filter((name) => name.endsWith(".zip"))).toHaveLength(1);
});

test("a pinned sum holds against any mirror", async () => {
  await using folder = await testFolder();
  await using server = await serve({ "ml-100k.zip": { body: archive } });
  const work = downloadDataset("movielens-100k", { ...quick, folder: folder.file("x"), baseUrl: server.url });
  expect((await failure(work, folder)).replace(md5(archive), "ACTUAL")).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: the md5 of http://HOST/ml-100k.zip is ACTUAL, expected 0e33842e24a9c977be4e0107933c0723; nothing was kept: it was damaged on its way, or the publisher changed it; try once more"`,
  );
  expect(await folder.list()).toEqual([]);
});

test("without a network it says how to get there by hand", async () => {
  await using folder = await testFolder();
  const baseUrl = await closedAddress();
  const pinned = downloadDataset("ml-25m", { ...quick, folder: folder.file("my films"), baseUrl });
  expect(await failure(pinned, folder)).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: cannot reach HOST (no network?); fetch https://files.grouplens.org/datasets/movielens/ml-25m.zip elsewhere and unpack it so that FOLDER/my films/ratings.csv is there; then: nearkin prepare --layout movielens 'FOLDER/my films'"`,
  );
  const asked = downloadDataset("ml-latest", { ...quick, folder: folder.file("films"), baseUrl });
  expect(await failure(asked, folder)).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: cannot reach HOST (no network?); fetch https://files.grouplens.org/datasets/movielens/ml-latest.zip elsewhere and unpack it so that FOLDER/films/ratings.csv is there; then: nearkin prepare --layout movielens FOLDER/films"`,
  );
});

test("a sum that is none is an error", async () => {
  await using folder = await testFolder();
  await using server = await serve({
    ...site,
    "ml-latest-small.zip.md5": { body: Buffer.from("<html>welcome</html>") },
  });
  const work = downloadDataset("ml-latest-small", { ...quick, folder: folder.file("films"), baseUrl: server.url });
  expect(await failure(work, folder)).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: http://HOST/ml-latest-small.zip.md5 does not hold the md5 of ml-latest-small.zip, it begins "<html>welcome</html>"; fetch https://files.grouplens.org/datasets/movielens/ml-latest-small.zip elsewhere and unpack it so that FOLDER/films/ratings.csv is there; then: nearkin prepare --layout movielens FOLDER/films"`,
  );
});

test("a folder with other things in it is left alone", async () => {
  await using folder = await testFolder();
  await using server = await serve(site);
  await mkdir(folder.file("films"));
  await writeFile(folder.file("films/mine.txt"), "mine");
  const options = { folder: folder.file("films"), baseUrl: server.url };
  expect(await failure(downloadDataset("ml-latest-small", options), folder)).toMatchInlineSnapshot(
    `"BAD_ARGUMENT: download: FOLDER/films is not empty and no finished download; name another folder, or remove this one"`,
  );
  expect(await folder.list()).toEqual(["films", "films/mine.txt"]);
  await rm(folder.file("films"), { recursive: true });
  await downloadDataset("ml-latest-small", options);
  expect(await failure(downloadDataset("ml-1m", options), folder)).toMatchInlineSnapshot(
    `"BAD_ARGUMENT: download: FOLDER/films holds movielens-latest-small; name another folder, or remove this one"`,
  );
  await writeFile(folder.file("films/ratings.csv"), "mine");
  expect(await failure(downloadDataset("ml-latest-small", options), folder)).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/films/ratings.csv is not as it was downloaded; remove FOLDER/films to fetch it anew"`,
  );
  expect(server.requests).toHaveLength(2);
});

test("a wrong name, a wrong address, and what has to be fetched by hand", async () => {
  await using folder = await testFolder();
  expect(await failure(downloadDataset("ml-10m"), folder)).toMatchInlineSnapshot(
    `"BAD_ARGUMENT: download: no dataset is called "ml-10m"; known are movielens-latest-small, movielens-100k, movielens-1m, movielens-20m, movielens-32m, movielens-25m, movielens-latest, yelp, amazon-reviews"`,
  );
  expect(await failure(downloadDataset("ml-1m", { baseUrl: "ftp://x/" }), folder)).toMatchInlineSnapshot(
    `"BAD_ARGUMENT: download: expected an http or https address of the folder that holds ml-1m.zip, got "ftp://x/""`,
  );
  expect(await failure(downloadDataset("yelp"), folder)).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: Yelp Open Dataset cannot be fetched by a program (Yelp asks everyone to accept its terms in a form); get it from https://business.yelp.com/data/resources/open-dataset/ and put its yelp_academic_dataset_*.json files into yelp; then: nearkin prepare --layout yelp yelp"`,
  );
  expect(await failure(downloadDataset("amazon", { folder: "toys" }), folder)).toMatchInlineSnapshot(
    `"DOWNLOAD_FAILED: Amazon Reviews 2023 cannot be fetched by a program (it comes by category, without published checksums); get it from https://amazon-reviews-2023.github.io/ and put the reviews of one category (<Category>.jsonl.gz) and its items (meta_<Category>.jsonl.gz) into toys; then: nearkin prepare --layout amazon-reviews toys"`,
  );
});

test("every name and alias is one dataset's, and every sum an MD5", () => {
  const names = datasets.flatMap((dataset) => [dataset.name, ...dataset.aliases]);
  expect(new Set(names).size).toBe(names.length);
  for (const dataset of datasets) {
    expect(shellWord(dataset.name)).toBe(dataset.name);
    if (dataset.access === "public" && dataset.md5 !== undefined) expect(dataset.md5).toMatch(/^[0-9a-f]{32}$/);
  }
});

test("the next command can be pasted", () => {
  expect(howToPrepare(findDataset("ML-1M"), "it's here")).toBe("nearkin prepare --layout movielens 'it'\\''s here'");
});
