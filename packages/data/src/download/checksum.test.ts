import { expect, test } from "vitest";
import { parseMd5 } from "./checksum.ts";

const sum = "6b51fb2759a8657d3bfcbfc42b592ada";

test.each([
  ["BSD", `MD5 (ml-25m.zip) = ${sum}\n`],
  ["GNU", `${sum}  ml-25m.zip\n`],
  ["GNU, binary, made in another folder", `${sum} *out/ml-25m.zip\r\n`],
  ["the sum alone", sum],
  ["upper case", sum.toUpperCase()],
  ["among others", `${"0".repeat(32)}  ml-1m.zip\n${sum}  ml-25m.zip\n`],
])("reads a sum as %s writes it", (_, text) => {
  expect(parseMd5(text, "ml-25m.zip")).toBe(sum);
});

test.each([
  ["an error page", "<html>404</html>"],
  ["the sum of another file", `MD5 (ml-1m.zip) = ${sum}`],
  ["a SHA-256", `${sum}${sum}  ml-25m.zip`],
  ["nothing", ""],
])("does not take %s for it", (_, text) => {
  expect(parseMd5(text, "ml-25m.zip")).toBeUndefined();
});
