// The supply side: when each film comes to the service, how good it is and how well known. All of it is simulated: nothing
// here says anything about the real film, except that no film comes before the year after its own.
import type { Random } from "@nearkin/core";
import type { Film } from "./films.ts";
import { PARAMETERS } from "./parameters.ts";
import { portableExp } from "./portable.ts";

const { opening, closing, catalogue, popularity, rating } = PARAMETERS;
const DAY = 86_400;

export interface Catalogue {
  /** Seconds, at midnight UTC. */
  added: Float64Array;
  /** q_i, in stars. */
  quality: Float64Array;
  /** π_i: how much more often the film is chosen than a typical one, all else equal. */
  popularity: Float64Array;
}

export function drawCatalogue(films: readonly Film[], random: Random): Catalogue {
  const quality = new Float64Array(films.length);
  const known = new Float64Array(films.length);
  const draws = random.split("films");
  films.forEach((film, i) => {
    const z = draws.normal();
    quality[i] = rating.quality * z;
    const mixed = popularity.quality * z + Math.sqrt(1 - popularity.quality * popularity.quality) * draws.normal();
    const x = portableExp(popularity.spread * mixed + popularity.yearSlope * (film.year - 1990));
    known[i] = x / (1 + x / popularity.most);
  });
  return { added: drawArrivals(films, random.split("arrivals")), quality, popularity: known };
}

/** A film of the service's own years comes within the year after its own; of the others, some are late by lot. */
function drawArrivals(films: readonly Film[], random: Random): Float64Array {
  const first = opening + catalogue.firstArrival;
  const last = closing - catalogue.lastArrival;
  const added = new Float64Array(films.length).fill(opening);
  const older: number[] = [];
  films.forEach((film, i) => {
    const january = Date.UTC(film.year + 1, 0) / 1000;
    if (january > opening) added[i] = Math.min(january + DAY * random.below(365), last);
    else older.push(i);
  });
  const late = older.length - Math.round(catalogue.openingShare * films.length);
  for (const i of random.shuffle(older).slice(0, late)) {
    added[i] = first + DAY * random.below(Math.floor((last - first) / DAY));
  }
  return added;
}
