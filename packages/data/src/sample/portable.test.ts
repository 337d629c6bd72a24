import { describe, expect, test } from "vitest";
import { portableExp, portableLog } from "./portable.ts";

const bits = (x: number) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return view.getBigUint64(0).toString(16);
};

describe("portableExp", () => {
  test("agrees with Math.exp to 1e-15 over its range", () => {
    for (let x = -690; x <= 690; x += 0.37) expect(Math.abs(portableExp(x) / Math.exp(x) - 1)).toBeLessThan(1e-15);
    for (let x = -3; x <= 3; x += 0.0011) expect(Math.abs(portableExp(x) / Math.exp(x) - 1)).toBeLessThan(1e-15);
  });

  test("at the ends", () => {
    expect([portableExp(0), portableExp(-1000), portableExp(-Infinity), portableExp(1000)]).toEqual([
      1,
      0,
      0,
      Infinity,
    ]);
    expect(portableExp(Number.NaN)).toBeNaN();
  });

  test("the same bits everywhere", () => {
    expect([1, -0.5, 3.7, -20.25].map((x) => bits(portableExp(x)))).toMatchInlineSnapshot(`
      [
        "4005bf0a8b14576a",
        "3fe368b2fc6f960a",
        "4044394144eeec81",
        "3e1b93de1e27ca3b",
      ]
    `);
  });
});

describe("portableLog", () => {
  test("agrees with Math.log to 1e-15, relative or absolute near 1", () => {
    for (let x = 1e-6; x < 1e6; x *= 1.013) {
      expect(Math.abs(portableLog(x) - Math.log(x))).toBeLessThan(1e-15 * Math.max(1, Math.abs(Math.log(x))));
    }
  });

  test("undoes portableExp", () => {
    for (let x = -30; x < 30; x += 0.7) expect(portableLog(portableExp(x))).toBeCloseTo(x, 13);
  });

  test("is for normal positive numbers only", () => {
    expect([0, -1, 1e-310, Infinity, Number.NaN].map(portableLog)).toEqual(Array(5).fill(Number.NaN));
    expect(portableLog(1)).toBe(0);
  });

  test("the same bits everywhere", () => {
    expect([0.1, 2, 360 / 47, 1e9].map((x) => bits(portableLog(x)))).toMatchInlineSnapshot(`
      [
        "c0026bb1bbb55515",
        "3fe62e42fefa39ef",
        "400049a3864e8461",
        "4034b927f32bffb8",
      ]
    `);
  });
});
