import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkReportPath } from "./write.ts";
import { checkOutPath, writeWhole } from "./write-whole.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-write-"));
  writeFileSync(join(folder, "t.yaml"), "a file");
  mkdirSync(join(folder, "pages.json"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const problem = async (work: Promise<void>) => {
  const text = await work.then(
    () => "accepted",
    (error) => `${error.code}: ${error.message}`,
  );
  return text.replaceAll(folder, "TMP").replaceAll(`.${process.pid}.`, ".PID.");
};

test("what cannot be written is refused before the work, a page with its JSON", async () => {
  const long = `${"n".repeat(300)}.html`;
  expect(
    [
      await problem(checkOutPath(at("t.yaml/f.json"))),
      await problem(checkOutPath(at("pages.json"))),
      await problem(checkReportPath(at("t.yaml/below/f.html"))),
      await problem(checkReportPath(at("pages.html"))),
      await problem(checkReportPath(at("page.pdf"))),
      (await problem(checkReportPath(at(long)))).replaceAll(long, "LONG.html"),
    ].join("\n"),
  ).toMatchInlineSnapshot(`
    "BAD_ARGUMENT: --out: TMP/t.yaml/f.json cannot be written: EEXIST: file already exists, mkdir 'TMP/t.yaml'
    BAD_ARGUMENT: --out: TMP/pages.json is a folder; name a file
    BAD_ARGUMENT: --out: TMP/t.yaml/below/f.html cannot be written: ENOTDIR: not a directory, mkdir 'TMP/t.yaml/below'
    BAD_ARGUMENT: --out: TMP/pages.json is a folder; name a file
    BAD_ARGUMENT: --out: expected a file that ends in .html, got TMP/page.pdf
    BAD_ARGUMENT: --out: TMP/LONG.html cannot be written: ENAMETOOLONG: name too long, open 'TMP/LONG.html.PID.tmp'"
  `);
});

test("what can be written leaves its folder and nothing in it; a file that is there stays as it is", async () => {
  await checkOutPath(at("new/folder/f.txt"));
  await checkReportPath(at("new/page.html"));
  await checkOutPath(at("t.yaml"));
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(["new", "new/folder", "pages.json", "t.yaml"]);
  expect(readFileSync(at("t.yaml"), "utf8")).toBe("a file");
});

test("a file is written with its folder, or replaced", async () => {
  await writeWhole(at("new/f.txt"), "first");
  await writeWhole(at("new/f.txt"), "second");
  expect(readFileSync(at("new/f.txt"), "utf8")).toBe("second");
  expect(readdirSync(at("new"))).toEqual(["f.txt"]);
});

test("where the rename fails nothing is left", async () => {
  mkdirSync(at("pages.json/inside"));
  expect(await problem(writeWhole(at("pages.json"), "text"))).toMatch(
    /^BAD_ARGUMENT: --out: TMP\/pages\.json cannot be written: E/,
  );
  expect(readdirSync(folder).sort()).toEqual(["pages.json", "t.yaml"]);
});
