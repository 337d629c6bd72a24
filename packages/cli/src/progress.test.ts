import { expect, test } from "vitest";
import { duration, liveLine } from "./progress.ts";

test.each([
  [0.04, "0.0 s"],
  [9.94, "9.9 s"],
  [9.96, "10 s"],
  [59.4, "59 s"],
  [61, "1 min 1 s"],
  [7385, "2 h 3 min"],
])("%s seconds are %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test("off a terminal only what stays is written, and how far it is every few seconds", () => {
  let text = "";
  const live = liveLine({ write: () => {}, log: (more) => (text += more) }, false);
  live.show("reading …");
  live.now("10 of 20"); // too soon
  live.end("read");
  expect(text).toBe("read\n");
});

test("on a terminal the line is rewritten", () => {
  let text = "";
  const live = liveLine({ write: () => {}, log: (more) => (text += more) }, true);
  live.show("reading …");
  live.end("read");
  expect(text).toBe("\r\x1b[Kreading …\r\x1b[Kread\n");
});
