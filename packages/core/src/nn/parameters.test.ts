import { expect, test } from "vitest";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { errorOf } from "../testing/bounds.ts";
import { layoutParameters, parameter, parameterViews } from "./parameters.ts";

const specs = [
  { name: "a.b1", rows: 1, cols: 3, decay: false },
  { name: "a.w1", rows: 2, cols: 3, decay: true },
  { name: "weights", rows: 1, cols: 2, decay: false },
  { name: "b.w1", rows: 4, cols: 1, decay: true },
];

test("what decays comes first, each group in the order given, without gaps", () => {
  const layout = layoutParameters(specs);
  expect(layout.tensors.map(({ name, offset }) => [name, offset])).toEqual([
    ["a.w1", 0],
    ["b.w1", 6],
    ["a.b1", 10],
    ["weights", 13],
  ]);
  expect([layout.size, layout.decayed]).toEqual([15, 10]);
});

test("views share the numbers of the flat vector, wherever it lies, and die with it", () => {
  const scope = createPlainEngine().scope();
  const layout = layoutParameters(specs);
  const whole = scope.zeros(20, 1, "f32");
  const views = parameterViews(layout, whole.view(2, 17));
  expect([...views.keys()]).toEqual(["a.w1", "b.w1", "a.b1", "weights"]);
  for (const m of views.values()) m.write(Float64Array.from({ length: m.rows * m.cols }, (_, i) => 10 * m.offset + i));
  expect(Array.from(whole.read())).toEqual([
    0, 0, 20, 21, 22, 23, 24, 25, 80, 81, 82, 83, 120, 121, 122, 150, 151, 0, 0, 0,
  ]);
  expect(parameter(views, "a.w1").get(1, 2)).toBe(25);
  scope.close();
  expect(errorOf(() => parameter(views, "weights").get(0, 0)).code).toBe("SCOPE_CLOSED");
});

test("a row vector serves as well", () => {
  const scope = createPlainEngine().scope();
  const flat = scope.zeros(1, 15);
  parameter(parameterViews(layoutParameters(specs), flat), "b.w1").set(3, 0, 7);
  expect(flat.get(0, 9)).toBe(7);
});

test("mistakes are named", () => {
  const scope = createPlainEngine().scope();
  const layout = layoutParameters(specs);
  expect(errorOf(() => layoutParameters([specs[0], specs[0]]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "layoutParameters: "a.b1" comes twice",
    }
  `);
  expect(errorOf(() => layoutParameters([{ ...specs[0], cols: 0 }]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "layoutParameters: "a.b1" cannot be (1, 0)",
    }
  `);
  expect(errorOf(() => parameterViews(layout, scope.zeros(14, 1)))).toMatchInlineSnapshot(`
    {
      "code": "SHAPE_MISMATCH",
      "message": "parameterViews: flat: expected a vector of 15, got (14, 1)",
    }
  `);
  expect(errorOf(() => parameter(parameterViews(layout, scope.zeros(15, 1)), "a.w2"))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "there is no parameter "a.w2"; was the layout made for another model?",
    }
  `);
});
