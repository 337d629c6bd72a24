// What a stopped run left: how much of it counts, and whether it is of this run at all.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { answersIn } from "./partial.ts";

const folder = mkdtempSync(join(tmpdir(), "nearkin-partial-"));
const partial = join(folder, "users.jsonl.partial");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const identity = { model: "m", dataset: "d", users: "all", engine: "wasm" };
const users = ["ada", "bob", "zoë"];
const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const whole = [identity, ...users.map((user) => ({ user }))].map(line);
const answers = async (text: string) => {
  writeFileSync(partial, text);
  return answersIn(partial, identity, users);
};

test("lines that are whole count; what was cut short is cut off", async () => {
  expect(await answersIn(join(folder, "nowhere"), identity, users)).toBe(0);
  const text = whole.join("");
  const bytes = Buffer.from(text);
  for (let cut = 0; cut <= bytes.length; cut++) {
    writeFileSync(partial, bytes.subarray(0, cut));
    const kept = bytes.subarray(0, cut).lastIndexOf(10) + 1;
    const lines = bytes.subarray(0, kept).toString().split("\n").length - 1;
    expect(await answersIn(partial, identity, users)).toBe(Math.max(0, lines - 1));
    if (lines > 0) expect(readFileSync(partial)).toEqual(bytes.subarray(0, kept));
  }
});

test("answers of others, and more than were asked for, do not count", async () => {
  expect(await answers([...whole, line({ user: "eve" })].join(""))).toBe(3);
  expect(await answers([whole[0], whole[1], line({ user: "eve" }), whole[3]].join(""))).toBe(1);
  expect(await answers([whole[0], whole[1], "\0\0\0\n", whole[3]].join(""))).toBe(1);
});

test("a file of another run is refused, with what differs", async () => {
  const refusal = (text: string) =>
    answers(text).then(
      () => "taken",
      (error: Error) => error.message.replaceAll(folder, "…"),
    );
  expect([
    await refusal(line({ ...identity, model: "other" })),
    await refusal(line({ ...identity, users: "1c3f", engine: "native" })),
    await refusal(line({ model: "m", dataset: "d", users: "all" })),
    await refusal('{"user":"ada"}\n'),
    await refusal("my own notes\n"),
  ]).toMatchInlineSnapshot(`
    [
      "--resume: …/users.jsonl.partial is of another model; remove it, or leave --resume out to begin anew",
      "--resume: …/users.jsonl.partial is of another list of users and engine; remove it, or leave --resume out to begin anew",
      "--resume: …/users.jsonl.partial is of another engine; remove it, or leave --resume out to begin anew",
      "--resume: …/users.jsonl.partial is nothing that nearkin personalize left; remove it, or leave --resume out to begin anew",
      "--resume: …/users.jsonl.partial is nothing that nearkin personalize left; remove it, or leave --resume out to begin anew",
    ]
  `);
});
