import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { addressBlock, TokenBuckets } from "./rate-limit.ts";

let time = 0;
const now = () => time;
beforeEach(() => {
  time = 0;
});

describe("token buckets", () => {
  test("a burst, then the rate", () => {
    const buckets = new TokenBuckets({ now });
    const rate = { perSecond: 2, burst: 3 };
    expect(buckets.take("a", rate)).toEqual({ allowed: true, remaining: 2, resetSeconds: 1, retrySeconds: 0 });
    expect(buckets.take("a", rate).remaining).toBe(1);
    expect(buckets.take("a", rate).remaining).toBe(0);
    expect(buckets.take("a", rate)).toEqual({ allowed: false, remaining: 0, resetSeconds: 2, retrySeconds: 1 });
    expect(buckets.take("b", rate).allowed).toBe(true);
    time += 499;
    expect(buckets.take("a", rate).allowed).toBe(false);
    time += 1;
    expect(buckets.peek("a", rate).allowed).toBe(true);
    expect(buckets.take("a", rate).allowed).toBe(true);
    expect(buckets.take("a", rate).allowed).toBe(false);
    time += 3600_000;
    expect(buckets.take("a", rate).remaining).toBe(2);
  });

  test("never more than the burst and the rate allow, whatever the arrivals", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(800), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 20 }),
        fc.double({ min: 0.1, max: 50, noNaN: true }),
        (gaps, burst, perSecond) => {
          time = 0;
          const buckets = new TokenBuckets({ now });
          let allowed = 0;
          for (const gap of gaps) {
            time += gap;
            const { allowed: ok, remaining, retrySeconds } = buckets.take("a", { perSecond, burst });
            if (ok) allowed++;
            else expect(retrySeconds).toBeGreaterThanOrEqual(1);
            expect(remaining).toBeGreaterThanOrEqual(0);
          }
          expect(allowed).toBeLessThanOrEqual(burst + (time / 1000) * perSecond + 1e-6);
          while (buckets.take("a", { perSecond, burst }).allowed);
          time += buckets.peek("a", { perSecond, burst }).retrySeconds * 1000; // whoever waits as told is let in
          expect(buckets.take("a", { perSecond, burst }).allowed).toBe(true);
        },
      ),
    );
  });

  test("memory is bounded, and the busiest are not forgotten", () => {
    const buckets = new TokenBuckets({ now, most: 3 });
    const rate = { perSecond: 1, burst: 2 };
    buckets.take("busy", rate);
    buckets.take("busy", rate);
    for (let i = 0; i < 1000; i++) {
      buckets.take(`stranger ${i}`, rate);
      expect(buckets.take("busy", rate).allowed).toBe(false);
    }
    expect(buckets.size).toBe(3);
    buckets.peek("nobody", rate);
    expect(buckets.size).toBe(3);
  });
});

test("addresses are counted by household", () => {
  expect(addressBlock("192.0.2.1")).toBe("192.0.2.1");
  expect(addressBlock("::ffff:192.0.2.1")).toBe("192.0.2.1");
  expect(addressBlock("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2");
  expect(addressBlock("2001:db8:1:2::6")).toBe("2001:db8:1:2");
  expect(addressBlock("2001:db8::6")).toBe("2001:db8:0:0");
  expect(addressBlock("2001::3:4:5:6:7:8")).toBe("2001:0:3:4");
  expect(addressBlock("::1")).toBe("0:0:0:0");
  expect(addressBlock("::")).toBe("0:0:0:0");
  expect(addressBlock("1::")).toBe("1:0:0:0");
});
