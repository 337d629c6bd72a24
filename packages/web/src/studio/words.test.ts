import { expect, test } from "vitest";
import { draftCall } from "./draft-call.ts";
import { proposedId } from "./item-id.ts";
import { proposedWords } from "./list-words.ts";

const terms = ["Drama", "Science Fiction", "Film Noir", "Fantasy", "Naïve Art"];
const proposed = (text: string, taken: string[] = []) => proposedWords(text, terms, taken).map(({ name }) => name);

test.each([
  ["", terms],
  ["f", ["Film Noir", "Fantasy", "Science Fiction", "Add “f”"]], // beginnings first, then words within
  ["FANTASY", ["Fantasy"]],
  ["naive", ["Naïve Art", "Add “naive”"]],
  ["naïve art", ["Naïve Art"]],
  ["Western", ["Add “Western”"]],
])("%j proposes %j", (text, expected) => {
  expect(proposed(text)).toEqual(expected);
});

test("what is taken is not proposed again", () => {
  expect(proposed("fi", ["Film Noir"])).toEqual(["Science Fiction", "Add “fi”"]);
  expect(proposedWords("own", [], ["own"])).toEqual([]);
});

test.each([
  ["Cold Berth", "2031", "cold-berth-2031"],
  ["Amélie & the Dwarfs: Part Ⅱ", undefined, "amelie-the-dwarfs-part-ii"],
  ["七人の侍", "1954", "七人の侍-1954"],
  ["!?", undefined, ""],
])("the id of %j, %s", (title, year, id) => {
  expect(proposedId(title, year)).toBe(id);
});

test("the call can be pasted into a shell, whatever was typed", () => {
  const call = draftCall({ plot: "It's $HOME" }, { origin: "http://localhost:7410", keyed: true, k: 10 });
  expect(call).toMatchInlineSnapshot(`
    "curl http://localhost:7410/v1/similar \\
      -H "authorization: Bearer $NEARKIN_KEY" \\
      -H 'content-type: application/json' \\
      -d '{"items":[{"draft":{"plot":"It'\\''s $HOME"}}],"k":10,"explain":true}'"
  `);
});
