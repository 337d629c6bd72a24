import fc from "fast-check";
import { expect, test } from "vitest";
import { BAD_URL, checkedUrl, LONG_URL, LONGEST_URL } from "./urls.ts";

test("URLs that are well escaped stay as they are", () => {
  for (const url of ["/", "/v1/items/a%2Fb/similar?user=%C3%A9", "//a", "/a?b=c+d", "/%25", "/%2525", "/?%00"]) {
    expect(checkedUrl({ url })).toBe(url);
  }
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (id) => {
      const url = `/v1/items/${encodeURIComponent(id)}?user=${encodeURIComponent(id)}`;
      expect(checkedUrl({ url })).toBe(url);
    }),
  );
});

test("badly escaped ones do not, in path or query", () => {
  for (const url of ["/%", "/%E0%A4%A", "/%zz", "/%ff", "/%ed%a0%80", "/a?b=100%", "*", "ftp://a/b", "http://", "a"]) {
    expect(checkedUrl({ url }), url).toBe(BAD_URL);
  }
});

test("length is bounded, and two of the longest ids fit", () => {
  const id = encodeURIComponent("\u{FFFD}".repeat(512));
  const url = `/v1/items/${id}/similar?user=${id}&k=10&explain=true`;
  expect(checkedUrl({ url })).toBe(url);
  expect(checkedUrl({ url: `/${"a".repeat(LONGEST_URL - 1)}` })).toHaveLength(LONGEST_URL);
  expect(checkedUrl({ url: `/${"%".repeat(LONGEST_URL)}` })).toBe(LONG_URL);
});

test("a whole URL, as proxies send, is its path", () => {
  expect(checkedUrl({ url: "http://localhost:8080/v1/items?a=%20" })).toBe("/v1/items?a=%20");
  expect(checkedUrl({ url: "HTTPS://localhost" })).toBe("/");
  expect(checkedUrl({ url: "http://localhost/%" })).toBe(BAD_URL);
});

test("nothing makes it throw", () => {
  fc.assert(fc.property(fc.string(), (url) => checkedUrl({ url }).startsWith("/")));
});
