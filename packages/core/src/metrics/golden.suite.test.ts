// What NumPy computed from the formulas (reference/metrics.py): every metric of both families on one list.
import { describe, expect, test } from "vitest";
import golden from "../../../../reference/golden/metrics.json";
import { metricFamilies } from "./families.ts";

interface Inputs {
  list: number[];
  truth: number[];
  k: number;
}

const cases = golden.cases.filter(({ op }) => op === "ranking");

describe("golden vectors of the metrics", () => {
  test("there are cases", () => {
    expect(cases.length).toBeGreaterThan(30);
  });

  test.each(cases)("$name", ({ inputs, outputs }) => {
    const { list, truth, k } = inputs as Inputs;
    const G = new Set(truth);
    const own = Object.entries(metricFamilies).flatMap(([family, metrics]) =>
      Object.entries(metrics).map(([name, metric]): [string, number] => [`${family} ${name}`, metric(list, G, k)]),
    );
    expect(own.map(([name]) => name)).toEqual(Object.keys(outputs));
    for (const [name, value] of own) {
      expect(value, name).toBeCloseTo((outputs as unknown as Record<string, number>)[name], 14);
    }
  });
});
