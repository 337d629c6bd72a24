// The whole world: films are real, everything people do is drawn. Each user has a stream of random numbers of their own,
// (seed, user id), so neither the order of users nor the number of workers can change a rating.
import { createEngine, type Engine, Random } from "@nearkin/core";
import { type Catalogue, drawCatalogue } from "./catalogue.ts";
import { chooseFilms } from "./choices.ts";
import { type FilmDistances, filmDistances } from "./distances.ts";
import { drawEvenings } from "./evenings.ts";
import { type Film, readFilms } from "./films.ts";
import { type ChannelWeights, PARAMETERS, type Parameters } from "./parameters.ts";
import { drawArchetypes, drawTaste, drawWeights } from "./tastes.ts";

export interface MarqueeOptions {
  /** A whole number in [0, 2⁵³). @default 1 */
  seed?: number;
}

/** A film and the day it came to the simulated service, as YYYY-MM-DD. */
export interface MarqueeFilm extends Film {
  added: string;
}

export interface MarqueeUser {
  /** `u0001`, `u0002`, … */
  id: string;
  /** h_u: the true weights, which a model is to find again. */
  weights: ChannelWeights;
}

/** Columns of equal length, by user, then time. */
export interface MarqueeRatings {
  /** Index into `users`. */
  user: Int32Array;
  /** Index into `films`. */
  film: Int32Array;
  /** 0.5, 1, … 5. */
  rating: Float32Array;
  /** Seconds since 1970, UTC. */
  timestamp: Int32Array;
}

/** The sample: real films, simulated users and ratings, and the truth behind them. */
export interface Marquee {
  films: MarqueeFilm[];
  users: MarqueeUser[];
  ratings: MarqueeRatings;
  parameters: Parameters;
  seed: number;
}

/**
 * Simulates the sample, in a few seconds; the same seed gives the same ratings on every machine.
 *
 * @example
 * const { films, users } = await simulateMarquee();
 * [films.length, users.length] // => [360, 640]
 */
export async function simulateMarquee(options: MarqueeOptions = {}): Promise<Marquee> {
  await using engine = await createEngine({ engine: "wasm", workers: 1 });
  return simulateWith(engine, await readFilms(), options.seed ?? 1);
}

/** The same with an engine of the caller's. */
export function simulateWith(engine: Engine, films: readonly Film[], seed: number): Marquee {
  const random = new Random(seed).split("marquee");
  const distances = filmDistances(engine, films);
  const catalogue = drawCatalogue(films, random.split("catalogue"));
  const archetypes = drawArchetypes(engine, distances, random.split("archetypes"));
  const world = { engine, distances, catalogue, archetypes };
  const histories = Array.from({ length: PARAMETERS.userCount }, (_, u) => {
    const id = `u${String(u + 1).padStart(4, "0")}`;
    return simulateUser(world, id, random.split("user", id));
  });
  return {
    films: films.map((film, i) => ({ ...film, added: new Date(catalogue.added[i] * 1000).toISOString().slice(0, 10) })),
    users: histories.map(({ id, weights }) => ({ id, weights })),
    ratings: {
      user: Int32Array.from(histories.flatMap((history, u) => history.films.map(() => u))),
      film: Int32Array.from(histories.flatMap((history) => history.films)),
      rating: Float32Array.from(histories.flatMap((history) => history.ratings)),
      timestamp: Int32Array.from(histories.flatMap((history) => history.times)),
    },
    parameters: PARAMETERS,
    seed,
  };
}

interface World {
  engine: Engine;
  distances: FilmDistances;
  catalogue: Catalogue;
  archetypes: readonly Float64Array[];
}

function simulateUser(world: World, id: string, random: Random) {
  const { engine, catalogue } = world;
  const weights = drawWeights(random.split("weights"));
  const metric = { distances: world.distances, weights };
  const taste = drawTaste(engine, { metric, archetypes: world.archetypes }, random.split("taste"));
  const evenings = drawEvenings(random.split("evenings"));
  const films = chooseFilms(engine, { metric, taste }, { catalogue, evenings, random: random.split("choices") });
  const stars = random.split("ratings");
  const { mean, userOffset, noise } = PARAMETERS.rating;
  const offset = mean + userOffset * stars.normal(); // μ + b_u
  const ratings = films.map((film) =>
    toHalfStars(offset + catalogue.quality[film] + taste[film] + noise * stars.normal()),
  );
  return { id, weights, films, ratings, times: evenings.flat() };
}

/** The nearest half star, halves up, between ½ and 5. */
function toHalfStars(x: number): number {
  return Math.min(5, Math.max(0.5, Math.floor(2 * x + 0.5) / 2));
}
