// nearkin.yaml: every mistake is named by its path, all of them at once, and slips of the keyboard get a suggestion.
import { describe, expect, test } from "vitest";
import { parseConfig, parseYaml } from "./parse.ts";

const interactions = { files: "ratings.csv" };

function failure(value: unknown): string {
  try {
    parseConfig(value);
  } catch (error) {
    const { code, message } = error as Error & { code: string };
    return `${code}: ${message}`;
  }
  throw new Error("expected an error");
}

test("what is left out has its default", () => {
  const config = parseConfig({ interactions });
  expect(config).toMatchObject({
    channels: {},
    interactions: { encoding: "utf-8", ratingRange: [-1e9, 1e9], timeUnit: "auto", columns: {} },
    rejectLimit: 0.01,
    seed: 1,
    split: { by: "time", fraction: 0.05, users: 200, userEvents: [20, 199], support: 0.7 }, // EV1, EV3, EV10
    pairs: { window: 5 },
    truth: { neighbours: 50, minCommonUsers: 3 }, // EV5
    factors: { count: 64 },
    statistics: { shrinkage: 5 },
  });
  expect(config.items).toBeUndefined();
});

describe("unknown keys", () => {
  test("are rejected at every depth, with the nearest known one", () => {
    expect(failure({ interactions, chanels: {} })).toMatchInlineSnapshot(
      `"BAD_CONFIG: nearkin.yaml: unknown key "chanels" at the top level; did you mean "channels"?"`,
    );
    expect(failure({ interactions: { ...interactions, ratingrange: [0, 5] } })).toMatchInlineSnapshot(
      `"BAD_CONFIG: nearkin.yaml: unknown key "ratingrange" at interactions; did you mean "ratingRange"?"`,
    );
    expect(failure({ interactions: { ...interactions, columns: { usr: "u" } } })).toMatchInlineSnapshot(
      `"BAD_CONFIG: nearkin.yaml: unknown key "usr" at interactions.columns; did you mean "user"?"`,
    );
    expect(failure({ interactions, split: { by: "time", fractoin: 0.1 } })).toMatchInlineSnapshot(
      `"BAD_CONFIG: nearkin.yaml: unknown key "fractoin" at split; did you mean "fraction"?"`,
    );
    expect(failure({ interactions, channels: { year: { type: "number", colum: "y" } } })).toMatchInlineSnapshot(
      `"BAD_CONFIG: nearkin.yaml: channels.year.column: Invalid input: expected string, received undefined; unknown key "colum" at channels.year; did you mean "column"?"`,
    );
    expect(
      failure({ interactions, channels: { plot: { type: "text", column: "y", encodr: "lsa" } } }),
    ).toMatchInlineSnapshot(
      `"BAD_CONFIG: nearkin.yaml: unknown key "encodr" at channels.plot; did you mean "encoder"?"`,
    );
    expect(failure({ interactions, pairs: { windw: 3 }, truth: { neighbors: 3 } })).toMatchInlineSnapshot(
      `"BAD_CONFIG: nearkin.yaml: unknown key "windw" at pairs; did you mean "window"?; unknown key "neighbors" at truth; did you mean "neighbours"?"`,
    );
  });

  test("far from everything get no suggestion", () => {
    expect(failure({ interactions, bananas: 1 })).toMatchInlineSnapshot(
      `"BAD_CONFIG: nearkin.yaml: unknown key "bananas" at the top level"`,
    );
  });
});

test("wrong types and values are named by their path, all at once", () => {
  expect(failure(undefined)).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: the top level: Invalid input: expected object, received undefined"`,
  );
  expect(failure("ratings.csv")).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: the top level: Invalid input: expected object, received string"`,
  );
  expect(failure({})).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: interactions: Invalid input: expected object, received undefined"`,
  );
  expect(failure({ interactions: { files: [] } })).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: interactions.files: Too small: expected array to have >=1 items"`,
  );
  expect(failure({ interactions: { files: 3 }, seed: 1.5, split: { by: "tim", fraction: 0.7 } })).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: interactions.files: expected a file name, or a list of them; seed: Invalid input: expected int, received number; split.by: Invalid option: expected one of "none"|"time"|"random"|"users"; split.fraction: Too big: expected number to be <0.5"`,
  );
  expect(failure({ interactions, channels: { "my channel": { type: "identity" } } })).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: channels.my channel: a channel's name is letters, digits, - and _"`,
  );
  expect(failure({ interactions, channels: { x: { type: "nubmer", column: "x" } } })).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: channels.x.type: Invalid discriminator value. Expected 'number' | 'categories' | 'vector' | 'text' | 'date' | 'geo' | 'identity'"`,
  );
  expect(failure({ interactions, channels: { x: { column: "x" } } })).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: channels.x.type: Invalid discriminator value. Expected 'number' | 'categories' | 'vector' | 'text' | 'date' | 'geo' | 'identity'"`,
  );
  expect(failure({ interactions, channels: { x: { type: "categories" } } })).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: channels.x: categories need either a column or flags"`,
  );
  expect(failure({ interactions, channels: { x: { type: "vector", column: "a", file: "b" } } })).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: channels.x: a vector channel needs either a column or a file"`,
  );
  expect(
    failure({ interactions, channels: { x: { type: "number", column: "x", pattern: "(" } } }),
  ).toMatchInlineSnapshot(`"BAD_CONFIG: nearkin.yaml: channels.x.pattern: not a regular expression with one (group)"`);
  expect(
    failure({ interactions, channels: { x: { type: "number", column: "x", pattern: "\\d{4}" } } }),
  ).toMatchInlineSnapshot(`"BAD_CONFIG: nearkin.yaml: channels.x.pattern: not a regular expression with one (group)"`);
  expect(failure({ interactions: { ...interactions, ratingRange: [5, 0] } })).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: interactions.ratingRange: the first is above the second"`,
  );
  expect(failure({ interactions, split: { by: "users", userEvents: [20, 10] } })).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: split.userEvents: the first is above the second"`,
  );
  expect(failure({ interactions, split: { by: "time", fold: 2 } })).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: split.fold: only a random split has folds"`,
  );
  expect(failure({ interactions, split: { by: "random", fraction: 0.2, fold: 6 } })).toMatchInlineSnapshot(
    `"BAD_CONFIG: nearkin.yaml: split.fold: there are 5 folds of 0.2 of the items"`,
  );
});

describe("YAML", () => {
  const yamlFailure = (text: string) => {
    try {
      parseYaml(text, "nearkin.yaml");
    } catch (error) {
      const { code, message } = error as Error & { code: string };
      return `${code}: ${message}`;
    }
    throw new Error("expected an error");
  };

  test("gives the same as the object it spells", () => {
    const text =
      "interactions:\n  files: ratings.csv\nchannels:\n  year: {type: number, column: title, pattern: '\\((\\d{4})\\)'}\n";
    expect(parseConfig(parseYaml(text, "nearkin.yaml"))).toEqual(
      parseConfig({ interactions, channels: { year: { type: "number", column: "title", pattern: "\\((\\d{4})\\)" } } }),
    );
  });

  test("with a mistake of syntax is refused with line and column", () => {
    expect(yamlFailure("interactions:\n  files: [a.csv\nseed: 1\n")).toMatchInlineSnapshot(`
      "BAD_CONFIG: nearkin.yaml: Flow sequence in block collection must be sufficiently indented and end with a ] at line 3, column 1:

        files: [a.csv
      seed: 1
      ^"
    `);
    expect(yamlFailure("interactions:\n\tfiles: a.csv\n")).toMatchInlineSnapshot(`
      "BAD_CONFIG: nearkin.yaml: Tabs are not allowed as indentation at line 2, column 1:

      interactions:
      	files: a.csv
      ^"
    `);
    expect(yamlFailure("seed: 1\nseed: 2\n")).toMatchInlineSnapshot(`
      "BAD_CONFIG: nearkin.yaml: Map keys must be unique at line 2, column 1:

      seed: 1
      seed: 2
      ^"
    `);
  });
});
