import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Bed } from "../testing/bed.ts";
import { errorOf } from "../testing/bounds.ts";
import { applyGeo, cosDegrees, fitGeo, type Place, sinDegrees } from "./geo.ts";

const bed = new Bed({ runs: 300 });
const place: fc.Arbitrary<Place> = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});
const geo = fitGeo([{ latitude: 0, longitude: 0 }, undefined]);
const point = (p: Place) => applyGeo(geo, p) as Float32Array;
const square = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + (x - b[i]) ** 2, 0);
const at = (latitude: number, longitude: number): Place => ({ latitude, longitude });

describe("sine and cosine of degrees", () => {
  test("agree with Math to two units in the last place", () => {
    bed.check(fc.double({ min: -360, max: 360, noNaN: true }), (degrees) => {
      // Math.sin takes a rounded angle in radians: that alone is off by up to an ulp of 2π
      expect(Math.abs(sinDegrees(degrees) - Math.sin((degrees * Math.PI) / 180))).toBeLessThan(1.5e-15);
      expect(Math.abs(cosDegrees(degrees) - Math.cos((degrees * Math.PI) / 180))).toBeLessThan(1.5e-15);
    });
  });

  test("whole quarters are exact", () => {
    const quarters = [-360, -270, -180, -90, 0, 90, 180, 270, 360];
    expect(quarters.map(sinDegrees)).toEqual([0, 1, 0, -1, 0, 1, 0, -1, 0]);
    expect(quarters.map(cosDegrees)).toEqual([1, 0, -1, 0, 1, 0, -1, 0, 1]);
  });
});

describe("applyGeo", () => {
  test("points lie on the unit sphere", () => {
    bed.check(place, (p) => {
      expect(Math.abs(square(point(p), new Float32Array(3)) - 1)).toBeLessThan(3e-7);
    });
  });

  test("the squared distance is 4·sin²(½·angle): by haversine", () => {
    bed.check(fc.tuple(place, place), ([a, b]) => {
      const haversine =
        sinDegrees((a.latitude - b.latitude) / 2) ** 2 +
        cosDegrees(a.latitude) * cosDegrees(b.latitude) * sinDegrees((a.longitude - b.longitude) / 2) ** 2;
      expect(Math.abs(square(point(a), point(b)) - 4 * haversine)).toBeLessThan(2e-6);
    });
  });

  test("there is no seam at 180° and no edge at the poles", () => {
    expect(point(at(10, 180))).toEqual(point(at(10, -180)));
    expect(point(at(90, 13))).toEqual(point(at(90, -170)));
    expect(square(point(at(0, 179.9)), point(at(0, -179.9)))).toBeLessThan(square(point(at(0, 0)), point(at(0, 0.3))));
  });

  test("missing is marked", () => {
    const out = new Float32Array([7, 7, 7]);
    expect(applyGeo(geo, undefined, out)).toBeUndefined();
    expect(out).toEqual(new Float32Array([7, 7, 7]));
    expect(geo).toEqual({ type: "geo", count: 1, missing: 1 });
  });

  test("errors", () => {
    expect(errorOf(() => applyGeo(geo, at(90.5, 0)))).toMatchInlineSnapshot(`
      {
        "code": "BAD_VALUE",
        "message": "latitude must be in [−90, 90] degrees, got 90.5",
      }
    `);
    expect(errorOf(() => applyGeo(geo, at(0, 359)))).toMatchInlineSnapshot(`
      {
        "code": "BAD_VALUE",
        "message": "longitude must be in [−180, 180] degrees, got 359; subtract 360 from longitudes that run to 360",
      }
    `);
    expect(errorOf(() => applyGeo(geo, at(0, 1000)))).toMatchInlineSnapshot(`
      {
        "code": "BAD_VALUE",
        "message": "longitude must be in [−180, 180] degrees, got 1000",
      }
    `);
    expect(errorOf(() => fitGeo([at(Number.NaN, 0)]))).toMatchInlineSnapshot(`
      {
        "code": "BAD_VALUE",
        "message": "training item 0: latitude must be in [−90, 90] degrees, got NaN",
      }
    `);
    expect(errorOf(() => fitGeo([undefined]))).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "fitGeo: none of the 1 training items has a place; leave the channel out",
      }
    `);
    expect(errorOf(() => applyGeo(geo, at(0, 0), new Float32Array(2)))).toMatchInlineSnapshot(`
      {
        "code": "SHAPE_MISMATCH",
        "message": "applyGeo: out must hold 3 numbers, got 2",
      }
    `);
  });
});
