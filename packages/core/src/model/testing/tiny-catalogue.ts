// Made-up films, with holes: every channel type, some values missing.
import type { Place } from "../../channels/geo.ts";
import type { Random } from "../../linalg/random.ts";

export interface TinyItem {
  id: string;
  title: string;
  plot: string | undefined;
  poster: number[] | undefined;
  genres: string[] | undefined;
  year: number | undefined;
  released: string | undefined;
  place: Place | undefined;
}

const QUALITIES = ["Quiet", "Burning", "Last", "Hidden", "Golden", "Frozen", "Distant"];
const THINGS = ["Harbour", "Letter", "Garden", "Signal", "River", "Winter"];
const GENRES = ["Drama", "Comedy", "War", "Mystery", "Romance"];
const PLOTS = [
  "a sailor returns to a town that has forgotten him",
  "two sisters inherit a cinema and a debt",
  "a signal from an empty station is answered",
  "the gardener of a closed hotel keeps a secret",
];

export function tinyCatalogue(n: number, random: Random): TinyItem[] {
  return Array.from({ length: n }, (_, i) => {
    const own = random.split(i);
    const maybe = <T>(value: T): T | undefined => (own.below(8) === 0 ? undefined : value);
    const quality = QUALITIES[i % QUALITIES.length];
    const thing = THINGS[Math.floor(i / QUALITIES.length) % THINGS.length];
    const round = Math.floor(i / (QUALITIES.length * THINGS.length));
    const year = 1950 + own.below(70);
    return {
      id: `f${String(i).padStart(3, "0")}`,
      title: `The ${quality} ${thing}${round > 0 ? ` ${round + 1}` : ""}`,
      plot: maybe(`${PLOTS[own.below(PLOTS.length)]} in ${year}`),
      poster: maybe([own.normal(), own.normal(), own.normal()].map(Math.fround)),
      genres: maybe(GENRES.filter(() => own.below(3) === 0).concat(GENRES[i % GENRES.length])),
      year: maybe(year),
      released: maybe(`${year}-0${1 + own.below(9)}-15`),
      place: maybe({ latitude: 60 * own.uniform(), longitude: 180 * own.uniform() - 90 }),
    };
  });
}
