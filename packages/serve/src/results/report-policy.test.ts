import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { reportPolicy } from "./report-policy.ts";

const hashOf = (style: string) => `'sha256-${createHash("sha256").update(style).digest("base64")}'`;

/** What a page's policy allows as styles. */
const allowed = (html: string) => /style-src ([^;]*)/.exec(reportPolicy(html))?.[1].split(" ");

test("the policy lets a page show its own styles and images, and nothing else", () => {
  expect(reportPolicy("<style>p { color: teal }</style><p>text</p>")).toBe(
    `default-src 'none'; style-src ${hashOf("p { color: teal }")}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`,
  );
});

test.each<[what: string, html: string, styles: readonly string[]]>([
  ["none", "<p>text</p>", []],
  ["several, each once", "<style>a</style><style>b</style><style>a</style>", ["a", "b"]],
  ["attributes, capitals and lines", '<STYLE media="print"\n>a\n{}</Style>', ["a\n{}"]],
  ["an empty one", "<style></style>", [""]],
  ["letters whose lower case is longer", "İİ<style>İ</style>", ["İ"]],
  ["up to the first end", "<style><style>a</style>b</style>", ["<style>a"]],
  ["after a tag of another name", "<styles>a</style><style>b</style>", ["b"]],
  ["none without an end", "<style>a</style><style>b", ["a"]],
  ["none in a tag that does not end", "<style>a</style><style b", ["a"]],
])("styles of a page: %s", (_, html, styles) => {
  expect(allowed(html)).toEqual(styles.length === 0 ? ["'none'"] : styles.map(hashOf));
});

test("at most 32 styles are named, so that the header stays short", () => {
  const html = Array.from({ length: 100 }, (_, k) => `<style>${k}</style>`).join("");
  expect(allowed(html)).toEqual(Array.from({ length: 32 }, (_, k) => hashOf(String(k))));
});
