import fc from "fast-check";
import { expect, test } from "vitest";
import { parseYaml } from "../config/parse.ts";
import { commentedYaml } from "./commented-yaml.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({
    unit: fc.constantFrom("'", '"', ":", "#", ",", "[", "]", "{", " ", "\n", "\\", "|", ">", "-", "&", "~", "0"),
  }),
  fc.constantFrom(
    "null",
    "yes",
    "1e3",
    "0x1F",
    "2001-01-01",
    "=",
    "<<",
    "...",
    "---",
    "\u2028",
    "\u0085",
    "\uFEFF",
    "\t",
  ),
);

test("whatever names and remarks are, the text parses back to the configuration", () => {
  const column = fc.record({
    name: text,
    separator: fc.option(text),
    missing: fc.array(text, { maxLength: 3 }),
    remark: text,
  });
  fc.assert(
    fc.property(
      text,
      fc.array(column, { maxLength: 3 }),
      fc.array(text, { minLength: 1, maxLength: 3 }),
      (file, columns, names) => {
        const config = {
          name: file,
          interactions: { files: names, names, columns: { user: file, rating: null } },
          items: { files: file, delimiter: file },
          channels: Object.fromEntries(
            columns.map(({ name, separator, missing }, k) => [
              `c${k}`,
              { type: "categories" as const, column: name, separator, missing },
            ]),
          ),
          split: { by: "random" as const },
          seed: 7,
          rejectLimit: 0.1,
        };
        const yaml = commentedYaml(config, {
          notes: columns.map(({ remark }) => remark),
          channels: Object.fromEntries(columns.map(({ remark }, k) => [`c${k}`, remark])),
          skipped: columns.map(({ name, remark }) => ({ columns: [name, file], reason: remark })),
          ratings: [0.5, 5],
        });
        const expected = columns.length === 0 ? { ...config, channels: null } : config;
        expect(parseYaml(yaml, "nearkin.yaml")).toEqual(expected);
      },
    ),
    { numRuns: 500, seed: 1 },
  );
});
