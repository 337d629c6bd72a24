import { describe, expect, test } from "vitest";
import { axisEnd, type ChannelShare, shareDeviations, sharesIn, sharesOf } from "./shares.ts";
import {
  becauseOf,
  differenceFrom,
  effectsOf,
  points,
  standingOf,
  stars,
  starsSpoken,
  tellApart,
  updateSaid,
} from "./words.ts";

const share = (channel: string, base: number, own: number): ChannelShare => ({
  channel,
  base,
  own,
  deviation: 0.02,
  people: { middle: base, deviation: 0.05 },
});

describe("shares", () => {
  test("only proportions count", () => {
    expect([...sharesIn({ plot: 6, year: 2 })]).toEqual([...sharesIn({ plot: 3, year: 1 })]);
    expect(sharesIn({ plot: 0.3, year: 0.1 }).get("plot")).toBeCloseTo(0.75, 12);
    expect(sharesIn({ plot: 3, year: -1 }).get("year")).toBe(-0.25);
    expect(sharesIn({ plot: 0, year: 0 }).get("year")).toBe(0);
  });

  test("deviations are those of shares: what all weights have in common does not count", () => {
    const weights = { plot: 2, year: 2 };
    const together = Float64Array.of(1, 1, 0, 1, 1, 0, 0, 0, 1); // both larger or both smaller, and β
    expect(shareDeviations({ weights, covariance: together })).toEqual([0, 0]);
    const apart = Float64Array.of(0.01, 0, 0, 0, 0.01, 0, 0, 0, 1);
    // s = h₁/(h₁ + h₂): g = (1/8, −1/8), variance 2·0.01/64
    for (const deviation of shareDeviations({ weights, covariance: apart })) {
      expect(deviation).toBeCloseTo(Math.sqrt(0.02 / 64), 12);
    }
  });

  test("stand in the order of the channels", () => {
    const covariance = new Float64Array(9);
    const posterior = { weights: { plot: 1, year: 1 }, deviations: {}, popularity: 0, offset: 0, covariance };
    const metric = { weights: { plot: 3, year: 1 } } as never;
    const [plot, year] = sharesOf({ metric, base: { plot: 1, year: 1 }, own: posterior, people: posterior });
    expect([plot.channel, plot.base, plot.own]).toEqual(["plot", 0.5, 0.75]);
    expect([year.channel, year.base, year.own]).toEqual(["year", 0.5, 0.25]);
  });

  test("the axis holds all that is drawn", () => {
    expect(axisEnd([share("plot", 0.36, 0.41)])).toBe(0.5);
    expect(axisEnd([share("plot", 0.97, 0.99)])).toBe(1);
    expect(axisEnd([])).toBe(0.1);
  });
});

test.each([
  [0.5, "½", "½ star"],
  [1, "1", "1 star"],
  [4.5, "4½", "4½ stars"],
  [5, "5", "5 stars"],
])("%d is shown as %s, and read as %s", (rating, shown, spoken) => {
  expect([stars(rating), starsSpoken(rating)]).toEqual([shown, spoken]);
});

describe("what is said at so many ratings", () => {
  const at = (items: number, kept: string | null, most = 10) => standingOf({ metric: { items, kept } as never, most });

  test.each([
    [0, "no ratings", "Nothing is known of you yet"],
    [1, "a single item", "One item is too few"],
    [3, "all ratings are the same", "All your ratings are the same"],
    [2, null, "A first guess, from 2 items"],
    [5, null, "Learned from 5 items"],
    [50, null, "Learned from 50 items"],
  ])("%i, kept: %s", (items, kept, title) => {
    expect(at(items, kept).title).toBe(title);
  });

  test("that only the last count, where they do", () => {
    expect(at(10, null).text).toBe("");
    expect(at(50, null).text).toBe("Of these the last 10 count for the weights: tastes move on.");
  });

  test("a reason that is not known is said as it is", () => {
    expect(at(4, "the start gives no covariance").text).toContain("the start gives no covariance");
  });
});

describe("how a metric differs", () => {
  test.each([
    [
      [share("plot", 0.3, 0.4), share("year", 0.7, 0.6)],
      "Compared with everybody, you put more weight on plot, less on year.",
    ],
    [
      [share("plot", 0.3, 0.4), share("genres", 0.3, 0.35), share("year", 0.4, 0.25)],
      "Compared with everybody, you put more weight on plot and genres, less on year.",
    ],
    [[share("plot", 0.5, 0.505), share("year", 0.5, 0.495)], "So far you weigh things much as everybody does."],
  ])("from everybody's", (shares, said) => {
    expect(differenceFrom(shares)).toBe(said);
  });

  test("from what it was, for those who listen", () => {
    const before = [share("plot", 0.3, 0.3), share("year", 0.7, 0.7)];
    expect(updateSaid(before, [share("plot", 0.3, 0.32), share("year", 0.7, 0.68)])).toBe(
      "Metric updated: more weight on plot, less on year.",
    );
    expect(updateSaid(before, before)).toBe("Metric updated: it hardly changed.");
  });
});

describe("what a rating did", () => {
  test("the strongest first, and nothing of what is next to nothing", () => {
    const effects = effectsOf(
      { item: "a", without: { plot: 0.3, year: 0.3, genres: 0.4 } },
      { plot: 0.35, year: 0.2501, genres: 0.3999 },
    );
    expect(effects.map(({ channel, change }) => `${channel} ${points(change)}`)).toEqual(["plot +5.0", "year −5.0"]);
  });

  test("nothing where the weights are the same", () => {
    expect(effectsOf({ item: "a", without: { plot: 1 } }, { plot: 1 })).toEqual([]);
  });
});

describe("why something is suggested", () => {
  const reason = (title: string, rating: number, contribution: number) => ({
    item: title,
    title,
    rating,
    contribution,
  });

  test.each([
    [
      [reason("Alien", 5, 0.4), reason("Stalker", 4.5, 0.2), reason("Solaris", 4, 0.1)],
      "Because you gave Alien 5 and Stalker 4½",
    ],
    [[reason("Alien", 5, 0.4), reason("Cats", 1, -0.2)], "Because you gave Alien 5, in spite of Cats 1"],
    [[reason("Cats", 0.5, -0.2)], "In spite of Cats ½"],
    [[reason("Alien", 5, 0.001)], "Far from all you rated: near your average"],
  ])("%#", (reasons, said) => {
    expect(becauseOf({ reasons })).toBe(said);
  });
});

test("ratings tell apart where two differ", () => {
  expect([[], [4], [4, 4], [4, 5]].map((given) => tellApart(given.map((rating) => ({ rating }))))).toEqual([
    false,
    false,
    false,
    true,
  ]);
});
