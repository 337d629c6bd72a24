import { Random } from "@nearkin/core";
import { describe, expect, test } from "vitest";
import type { LeaseRequest } from "../store/allowances.ts";
import { LeasedBuckets } from "./leased-buckets.ts";
import type { Rate } from "./rate-limit.ts";

const seed = Number(process.env.NEARKIN_SEED ?? 5);

/** Servers that share buckets, a clock that is put forward by hand, and a store that can be away. */
class World {
  time = 0;
  statements = 0;
  away = false;
  /** ms that an answer of the store takes. */
  delay = 0;
  readonly #buckets = new Map<string, { level: number; at: number }>();
  readonly servers: LeasedBuckets[];

  constructor(count: number) {
    this.servers = Array.from(
      { length: count },
      () => new LeasedBuckets({ lease: (asked) => this.#lease(asked), servers: () => count, now: () => this.time }),
    );
  }

  async #lease(asked: readonly LeaseRequest[]) {
    this.statements++;
    if (this.away) throw new Error("away");
    const leases = asked.map(({ name, wanted, perSecond, capacity }) => {
      const { level, at } = this.#buckets.get(name) ?? { level: capacity, at: this.time };
      const filled = Math.min(capacity, level + ((this.time - at) / 1000) * perSecond);
      const granted = Math.min(wanted, Math.floor(filled + 1e-9));
      this.#buckets.set(name, { level: filled - granted, at: this.time });
      return { granted, left: filled - granted };
    });
    this.time += this.delay;
    return leases;
  }

  /** Requests of one caller to servers drawn at random, for so many ms; when those that pass did. */
  async load(rate: Rate, { ms, perStep, random }: { ms: number; perStep: number; random: Random }): Promise<number[]> {
    const passed: number[] = [];
    for (const end = this.time + ms; this.time < end; this.time += random.uniform() * 30) {
      const server = this.servers[random.below(this.servers.length)];
      const ask = async () => {
        const { allowed } = await server.take("caller", rate);
        if (allowed) passed.push(this.time);
      };
      await Promise.all(Array.from({ length: 1 + random.below(perStep) }, ask));
    }
    return passed;
  }
}

/** By how many requests the busiest stretch of time is above burst + t·perSecond. */
function excess(passed: readonly number[], { perSecond, burst }: Rate): number {
  let most = Number.NEGATIVE_INFINITY;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, time] of passed.entries()) {
    const filled = (time / 1000) * perSecond;
    least = Math.min(least, i - filled); // requests before a stretch that begins here
    most = Math.max(most, i + 1 - filled - least - burst);
  }
  return most;
}

describe("buckets that servers share", () => {
  test.each([
    { perSecond: 200, burst: 400 },
    { perSecond: 20, burst: 40 },
    { perSecond: 10, burst: 50 },
    { perSecond: 1000, burst: 40 },
    { perSecond: 5, burst: 1 },
    { perSecond: 0.5, burst: 3 },
    { perSecond: 10, burst: 10 },
    { perSecond: 10, burst: 14 },
  ])(
    `never let more pass than one would, and hardly less: $perSecond a second, $burst at once (seed ${seed})`,
    async (rate) => {
      for (const delay of [0, 7]) {
        const random = new Random(seed).split(rate.perSecond, delay);
        const world = new World(3);
        world.delay = delay;
        const perStep = 2 + Math.ceil((rate.perSecond * 30 * 2) / 1000);
        const passed = await world.load(rate, { ms: 20_000, perStep, random });
        const lifetime = Math.min(1, (0.1 * (rate.burst - 1)) / rate.perSecond);
        const onTheWay = rate.perSecond * Math.max(0, delay / 1000 - lifetime); // of leases shorter than the store's answer takes
        expect(excess(passed, rate)).toBeLessThanOrEqual(onTheWay + 1e-6);
        const allowed = rate.burst + (world.time / 1000) * rate.perSecond;
        const offered = ((perStep + 1) / 2) * (world.time / (15 + delay));
        expect(passed.length).toBeGreaterThan(0.65 * Math.min(allowed, offered));
      }
    },
  );

  test.each([8, 10, 14, 15, 20, 40])("let pass all that one would in the long run, with %i at once", async (burst) => {
    const world = new World(3);
    const rate = { perSecond: 10, burst };
    const passed = await world.load(rate, { ms: 60_000, perStep: 2, random: new Random(seed) });
    expect(passed.length / 60).toBeGreaterThan(9.5);
    expect(excess(passed, rate)).toBeLessThanOrEqual(1e-6);
  });

  test("ask the store for few of many requests, and not for a caller who has none left", async () => {
    const world = new World(3);
    const random = new Random(seed);
    const steady = await world.load({ perSecond: 1000, burst: 2000 }, { ms: 5000, perStep: 10, random });
    expect(world.statements).toBeLessThan(steady.length / 4);
    world.statements = 0;
    const rate = { perSecond: 1, burst: 5 };
    for (let i = 0; i < 1000; i++) await world.servers[0].take("eager", rate);
    expect(world.statements).toBeLessThan(5);
    expect(await world.servers[0].take("eager", rate)).toMatchObject({ allowed: false, remaining: 0, retrySeconds: 1 });
  });

  test("are each server's part while the store is away, which is asked again now and then", async () => {
    const rate = { perSecond: 30, burst: 60 };
    const world = new World(3);
    const random = new Random(seed);
    world.away = true;
    const passed = await world.load(rate, { ms: 10_000, perStep: 6, random });
    expect(excess(passed, rate)).toBeLessThanOrEqual(1e-6);
    expect(passed.length).toBeGreaterThan(0.75 * (60 + 30 * 10));
    expect(world.statements).toBeLessThan(3 * (10_000 / 500 + 1));
    world.away = false;
    const back = await world.load(rate, { ms: 10_000, perStep: 6, random });
    expect(excess([...passed, ...back], rate)).toBeLessThanOrEqual(rate.burst);
  });
});
