import { expect, test } from "vitest";
import { textShape } from "./text-shape.ts";

const shape = (text: string, cut = false) => {
  const found = textShape(text, cut);
  return (
    found &&
    `${JSON.stringify(found.delimiter)} ${found.quote || "no quote"} ${found.width} ${found.header ? "header" : "no header"}`
  );
};

test.each([
  ["a comma", "user_id,item_id\n1,2\n3,4\n", '"," " 2 header'],
  ["semicolons beside decimal commas", "a;b;c\n1,5;2,5;3,5\n1,0;2,0;3,0\n", '";" " 3 header'],
  ["a tab, and commas in the text", "a\tb\nx, y\tz\nx, y, z\tz\n", '"\\t" " 2 header'],
  ["two colons", "1::Moss (1999)::Drama|War\n2::Lantern (2001)::War\n", '"::" " 3 no header'],
  ["quoted line ends and delimiters", 'a,b\n"x,\ny",2\n"say ""so""",3\n', '"," " 2 header'],
  ["quotes that are letters", 'id\ttitle\n1\t"Moss" and more\n2\tLantern 7"\n', '"\\t" no quote 2 header'],
  ["numbers in the first line", "1,2,5.0\n1,3,4.0\n", '"," " 3 no header'],
  ["a first line like the others", "u1,i1\nu1,i2\nu2,i1\n", '"," " 2 no header'],
  ["names over numbers", "who,much\nx,1\ny,2\n", '"," " 2 header'],
  ["Windows line ends, no last one", "a;b\r\n1;2\r\n3;", '";" " 2 header'],
])("%s", (_, text, expected) => {
  expect(shape(text)).toBe(expected);
});

test("a text that was cut is judged without its last record", () => {
  expect(shape('a,b\n1,2\n3,4\n5,"and th', true)).toBe('"," " 2 header');
  expect(shape("a,b\n1,2\n3", true)).toBe('"," " 2 header');
});

test("one column, or rows that do not agree, have no shape", () => {
  expect(shape("a\nb\n")).toBeUndefined();
  expect(shape("About this, and that\n\nIt is prose. With, some, commas, in it.\nNo more\n")).toBeUndefined();
});
