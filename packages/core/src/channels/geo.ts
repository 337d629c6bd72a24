// Places: latitude and longitude as a point (x, y, z) of the unit sphere. The squared distance of two points is
// 4·sin²(½·angle between them): it grows with the great-circle distance, the poles are points like any other, and there is no seam
// at ±180°. Nothing is learnt but how many training items have a place.
import { NearkinError } from "../errors.ts";
import { badValue, checkOut } from "./number.ts";
import type { Stored, StoredReader } from "./stored.ts";

export const GEO_WIDTH = 3;

/** Degrees north and east. */
export interface Place {
  /** [−90, 90] */
  readonly latitude: number;
  /** [−180, 180] */
  readonly longitude: number;
}

export interface GeoTransform {
  readonly type: "geo";
  /** Training items with a place. */
  readonly count: number;
  /** Training items without one. */
  readonly missing: number;
}

/** Checks the places of the training items and counts them. */
export function fitGeo(places: Iterable<Place | undefined>): GeoTransform {
  let count = 0;
  let missing = 0;
  for (const place of places) {
    if (place === undefined) {
      missing++;
    } else {
      checkPlace(place, count + missing);
      count++;
    }
  }
  if (count === 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `fitGeo: none of the ${missing} training items has a place; leave the channel out`,
    );
  }
  return { type: "geo", count, missing };
}

/**
 * A place as (x, y, z): x to the equator at Greenwich, y to the equator at 90° east, z to the north pole. Missing gives undefined
 * and leaves `out` as it is.
 *
 * @example
 * const places = fitGeo([{ latitude: 52.52, longitude: 13.405 }]);
 * applyGeo(places, { latitude: 0, longitude: 90 }) // => new Float32Array([0, 1, 0])
 * applyGeo(places, undefined) // => undefined
 */
export function applyGeo(
  _transform: GeoTransform,
  place: Place | undefined,
  out = new Float32Array(GEO_WIDTH),
): Float32Array | undefined {
  checkOut("applyGeo", out, GEO_WIDTH);
  if (place === undefined) return undefined;
  checkPlace(place);
  const { latitude, longitude } = place;
  const cosine = cosDegrees(latitude);
  out[0] = cosine * cosDegrees(longitude) + 0; // −0 is 0
  out[1] = cosine * sinDegrees(longitude) + 0;
  out[2] = sinDegrees(latitude);
  return out;
}

export function encodeGeo({ type, count, missing }: GeoTransform): Stored {
  return { json: { type, count, missing }, tensors: {} };
}

export function decodeGeo(stored: StoredReader): GeoTransform {
  return { type: "geo", count: stored.count("count", 1), missing: stored.count("missing") };
}

function checkPlace({ latitude, longitude }: Place, position?: number): void {
  if (!(Math.abs(latitude) <= 90)) {
    throw badValue(`latitude must be in [−90, 90] degrees, got ${latitude}`, position);
  }
  if (!(Math.abs(longitude) <= 180)) {
    const hint = Math.abs(longitude) <= 360 ? "; subtract 360 from longitudes that run to 360" : "";
    throw badValue(`longitude must be in [−180, 180] degrees, got ${longitude}${hint}`, position);
  }
}

// Math.sin and Math.cos may differ between JavaScript engines in the last bit. Here whole quarters are taken off in degrees, which
// is exact, and the rest, at most 45°, goes through the power series: the same bits everywhere, and quarters give exactly 0 and ±1.
const RADIANS = 0.017453292519943295; // π / 180

export function sinDegrees(degrees: number): number {
  return sinQuarters(degrees, 0);
}

export function cosDegrees(degrees: number): number {
  return sinQuarters(degrees, 1);
}

/** sin(degrees + 90°·quarters) */
function sinQuarters(degrees: number, quarters: number): number {
  const nearest = Math.round(degrees / 90);
  const r = (degrees - nearest * 90) * RADIANS; // |r| ≤ π/4
  const value = (nearest + quarters) & 1 ? cosSeries(r) : sinSeries(r);
  return (nearest + quarters) & 2 ? 0 - value : value + 0; // −0 is 0
}

// sin r = r·(1 − r²/(2·3)·(1 − r²/(4·5)·(1 − …))); the first term left out is below 3e-19 for |r| ≤ π/4.
function sinSeries(r: number): number {
  let s = 0;
  for (let k = 17; k > 1; k -= 2) s = (-r * r * (1 + s)) / (k * (k - 1));
  return r + r * s;
}

// cos r = 1 − r²/(1·2)·(1 − r²/(3·4)·(1 − …)); the first term left out is below 3e-18.
function cosSeries(r: number): number {
  let s = 0;
  for (let k = 16; k > 0; k -= 2) s = (-r * r * (1 + s)) / (k * (k - 1));
  return 1 + s;
}
