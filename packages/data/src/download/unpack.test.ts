import { mkdir, readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { failure, testFolder } from "./testing/folder.ts";
import { type ZipEntry, zip } from "./testing/zip.ts";
import { unpack } from "./unpack.ts";

const good: readonly ZipEntry[] = [
  { name: "ml-x/", mode: 0o040755 },
  { name: "ml-x/ratings.csv", data: "userId,movieId\n1,2\n", mode: 0o100644 },
  { name: "ml-x/deep/tags.csv", data: "x".repeat(100_000) },
  { name: "ml-x/empty" },
  { name: "__MACOSX/ml-x/._ratings.csv", data: "?" },
];

test("the archive's top folder becomes the folder", async () => {
  await using folder = await testFolder();
  await writeFile(folder.file("a.zip"), zip(good));
  const seen: [number, number][] = [];
  const files = await unpack(folder.file("a.zip"), folder.file("out"), {
    onProgress: (...progress) => void seen.push(progress),
  });
  expect(files).toEqual([
    { path: "ratings.csv", bytes: 19 },
    { path: "deep/tags.csv", bytes: 100_000 },
    { path: "empty", bytes: 0 },
  ]);
  expect(await folder.list()).toEqual([
    "a.zip",
    "out",
    "out/deep",
    "out/deep/tags.csv",
    "out/empty",
    "out/ratings.csv",
  ]);
  expect(await readFile(folder.file("out/ratings.csv"), "utf8")).toBe("userId,movieId\n1,2\n");
  expect(seen.at(-1)).toEqual([100_019, 100_019]);
});

test("an archive without a top folder is unpacked as it is", async () => {
  await using folder = await testFolder();
  await writeFile(
    folder.file("a.zip"),
    zip([
      { name: "a.csv", data: "a" },
      { name: "b/c.csv", data: "c" },
    ]),
  );
  await unpack(folder.file("a.zip"), folder.file("out"));
  expect(await folder.list()).toEqual(["a.zip", "out", "out/a.csv", "out/b", "out/b/c.csv"]);
});

test("an empty folder makes way, and so does what a killed attempt left", async () => {
  await using folder = await testFolder();
  await writeFile(folder.file("a.zip"), zip(good));
  await mkdir(folder.file("out"));
  await mkdir(folder.file("out.unpacking"));
  await writeFile(folder.file("out.unpacking/ratings.csv"), "half");
  await unpack(folder.file("a.zip"), folder.file("out"));
  expect(await folder.list()).toContain("out/ratings.csv");
  expect(await folder.list()).not.toContain("out.unpacking");
});

test("a folder with something in it does not", async () => {
  await using folder = await testFolder();
  await writeFile(folder.file("a.zip"), zip(good));
  await mkdir(folder.file("out"));
  await writeFile(folder.file("out/mine"), "");
  await expect(unpack(folder.file("a.zip"), folder.file("out"))).rejects.toMatchObject({ code: "DOWNLOAD_FAILED" });
  expect(await folder.list()).toEqual(["a.zip", "out", "out/mine"]);
});

test("a seal that fails leaves nothing", async () => {
  await using folder = await testFolder();
  await writeFile(folder.file("a.zip"), zip(good));
  const seal = () => Promise.reject(new Error("no"));
  await expect(unpack(folder.file("a.zip"), folder.file("out"), { seal })).rejects.toThrow("no");
  expect(await folder.list()).toEqual(["a.zip"]);
});

/** What an archive is refused with; nothing may be left, inside the folder or out of it. */
async function refusal(archive: Buffer, options = {}): Promise<string> {
  await using folder = await testFolder();
  await mkdir(folder.file("in"));
  await writeFile(folder.file("in/a.zip"), archive);
  const message = await failure(unpack(folder.file("in/a.zip"), folder.file("in/out"), options), folder);
  expect(await folder.list()).toEqual(["in", "in/a.zip"]);
  return message;
}

test("names that lead out of the folder are refused", async () => {
  const climbing = zip([...good, { name: "ml-x/../../evil", data: "!" }]);
  expect(await refusal(climbing)).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip: invalid relative path: ml-x/../../evil; nothing was unpacked: get another copy of the archive"`,
  );
  expect(await refusal(zip([{ name: "/etc/evil", data: "!" }]))).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip: absolute path: /etc/evil; nothing was unpacked: get another copy of the archive"`,
  );
  expect(await refusal(zip([{ name: "C:\\evil", data: "!" }]))).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip: absolute path: C:/evil; nothing was unpacked: get another copy of the archive"`,
  );
  expect(await refusal(zip([{ name: "a\\..\\..\\evil", data: "!" }]))).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip: invalid relative path: a/../../evil; nothing was unpacked: get another copy of the archive"`,
  );
});

test("symbolic links and devices are refused", async () => {
  const link = zip([...good, { name: "ml-x/link", data: "/etc/passwd", mode: 0o120777 }]);
  expect(await refusal(link)).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip: "ml-x/link" is a symbolic link or a device, expected files and folders; nothing was unpacked"`,
  );
  expect(await refusal(zip([{ name: "null", mode: 0o020666 }]))).toMatch(/^BAD_FILE: .*"null" is a symbolic link or/);
});

test("a file whose CRC is wrong is refused, and so are the others", async () => {
  const damaged = zip([...good, { name: "ml-x/z.csv", data: "abc", crc32: 1 }]);
  expect(await refusal(damaged)).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip, "z.csv": its CRC-32 is 352441c2, expected 00000001; nothing was unpacked: get another copy of the archive"`,
  );
});

test("a file that is longer or shorter than declared is refused", async () => {
  const longer = zip([{ name: "ml-x/z.csv", data: "x".repeat(200_000), size: 1000 }]);
  expect(await refusal(longer)).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip, "z.csv": too many bytes in the stream. expected 1000. got at least 16384; nothing was unpacked: get another copy of the archive"`,
  );
  const shorter = zip([{ name: "ml-x/z.csv", data: "x", size: 1000 }]);
  expect(await refusal(shorter)).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip, "z.csv": not enough bytes in the stream. expected 1000. got only 1; nothing was unpacked: get another copy of the archive"`,
  );
});

test("too much is refused by what the archive declares", async () => {
  expect(await refusal(zip(good), { maxBytes: 100_000 })).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip: unpacks to 100019 bytes, at most 100000 are allowed; nothing was unpacked"`,
  );
  const bomb = zip([{ name: "bomb", data: "", size: 1e9 }]);
  expect(await refusal(bomb)).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip: unpacks 2 bytes to 1000000000, more than 200 times as many, as a zip bomb does; nothing was unpacked"`,
  );
});

test("what cannot be read is refused", async () => {
  expect(await refusal(zip([{ name: "secret", data: "x", flags: 1 }]))).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip: "secret" is encrypted or packed in an unknown way; nothing was unpacked"`,
  );
  expect(await refusal(zip([...good, ...good]))).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip: "ml-x/ratings.csv" is there twice; nothing was unpacked"`,
  );
  expect(await refusal(zip([{ name: "ml-x/" }]))).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip: no files in it; nothing was unpacked"`,
  );
  expect(await refusal(Buffer.from("<html>not a zip</html>"))).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip: End of central directory record signature not found. Either not a zip file, or file is truncated; nothing was unpacked: get another copy of the archive"`,
  );
  const whole = zip(good);
  expect(await refusal(whole.subarray(0, whole.length - 30))).toMatchInlineSnapshot(
    `"BAD_FILE: FOLDER/in/a.zip: End of central directory record signature not found. Either not a zip file, or file is truncated; nothing was unpacked: get another copy of the archive"`,
  );
});

test("damaged bytes inside are noticed, wherever they are", async () => {
  const whole = zip([{ name: "a/b.csv", data: Array.from({ length: 300 }, (_, i) => `${i * i},${i}`).join("\n") }]);
  const start = 30 + "a/b.csv".length;
  const end = whole.indexOf("PK\x01\x02");
  for (let at = start; at < end; at += 97) {
    const damaged = Buffer.from(whole);
    damaged[at] ^= 0xff;
    expect(await refusal(damaged)).toMatch(/^BAD_FILE: /);
  }
});
