// The public datasets Nearkin knows by name: where they are, how to tell that a copy is whole, what one may do with them.
import { NearkinError } from "@nearkin/core";

interface KnownDataset {
  /** What one types: `nearkin download movielens-25m`. */
  readonly name: string;
  /** Other words for the same thing. */
  readonly aliases: readonly string[];
  readonly title: string;
  /** The word for `nearkin prepare --layout`. */
  readonly layout: string;
  /** The owner's terms in a few words; `licenceUrl` has all of them. */
  readonly licence: string;
  readonly licenceUrl: string;
}

/** A dataset with a plain address. */
export interface PublicDataset extends KnownDataset {
  readonly access: "public";
  /** Name of the archive, under the base address. */
  readonly file: string;
  /** About how large the archive is, in bytes; shown, not checked. */
  readonly bytes: number;
  /** A file one finds in the unpacked folder. */
  readonly contains: string;
  /**
   * MD5 of the archive, as its publisher states it. Without one, what the publisher says today is asked for:
   * such an archive changes from time to time.
   */
  readonly md5?: string;
}

/** A dataset one has to fetch by hand. */
export interface ManualDataset extends KnownDataset {
  readonly access: "manual";
  /** Why it cannot be fetched by a program. */
  readonly reason: string;
  /** Where people get it. */
  readonly page: string;
  /** What to put into the folder. */
  readonly contains: string;
}

export type Dataset = PublicDataset | ManualDataset;

/** Where the archives are, unless the caller names a mirror. The published sums lie beside them as `<file>.md5`. */
export const GROUPLENS = "https://files.grouplens.org/datasets/movielens/";

function movielens(
  edition: string,
  title: string,
  details: { bytes: number; readme: "txt" | "html"; contains: string; licence: string; md5?: string },
): PublicDataset {
  const { readme, ...rest } = details;
  return {
    access: "public",
    name: `movielens-${edition}`,
    aliases: [`ml-${edition}`],
    title,
    layout: "movielens",
    file: `ml-${edition}.zip`,
    licenceUrl: `${GROUPLENS}ml-${edition}-README.${readme}`,
    ...rest,
  };
}

// The terms differ in one point: whether the data may be passed on.
const RESEARCH = "research, not commercial";
const RESEARCH_OWN = "research, not commercial, not passed on";

/** Every dataset with a name, small to large. MovieLens 10M is left out: no sum of it was to be verified. */
export const datasets: readonly Dataset[] = [
  movielens("latest-small", "MovieLens Latest Small", {
    bytes: 1e6,
    readme: "html",
    contains: "ratings.csv",
    licence: RESEARCH,
  }),
  movielens("100k", "MovieLens 100K", {
    bytes: 4_924_029,
    readme: "txt",
    contains: "u.data",
    licence: RESEARCH_OWN,
    md5: "0e33842e24a9c977be4e0107933c0723",
  }),
  movielens("1m", "MovieLens 1M", {
    bytes: 6e6,
    readme: "txt",
    contains: "ratings.dat",
    licence: RESEARCH_OWN,
    md5: "c4d9eecfca2ab87c1945afe126590906",
  }),
  movielens("20m", "MovieLens 20M", {
    bytes: 198_702_078,
    readme: "html",
    contains: "ratings.csv",
    licence: RESEARCH,
    md5: "cd245b17a1ae2cc31bb14903e1204af3",
  }),
  movielens("32m", "MovieLens 32M", {
    bytes: 238_950_008,
    readme: "html",
    contains: "ratings.csv",
    licence: RESEARCH,
    md5: "d472be332d4daa821edc399621853b57",
  }),
  movielens("25m", "MovieLens 25M", {
    bytes: 261_978_986,
    readme: "html",
    contains: "ratings.csv",
    licence: RESEARCH,
    md5: "6b51fb2759a8657d3bfcbfc42b592ada",
  }),
  movielens("latest", "MovieLens Latest", {
    bytes: 335e6,
    readme: "html",
    contains: "ratings.csv",
    licence: RESEARCH,
  }),
  {
    access: "manual",
    name: "yelp",
    aliases: ["yelp-open-dataset"],
    title: "Yelp Open Dataset",
    layout: "yelp",
    licence: "academic use, terms to accept",
    licenceUrl: "https://business.yelp.com/data/resources/open-dataset/",
    reason: "Yelp asks everyone to accept its terms in a form",
    page: "https://business.yelp.com/data/resources/open-dataset/",
    contains: "its yelp_academic_dataset_*.json files",
  },
  {
    access: "manual",
    name: "amazon-reviews",
    aliases: ["amazon", "amazon-reviews-2023"],
    title: "Amazon Reviews 2023",
    layout: "amazon-reviews",
    licence: "see its page",
    licenceUrl: "https://amazon-reviews-2023.github.io/",
    reason: "it comes by category, without published checksums",
    page: "https://amazon-reviews-2023.github.io/",
    contains: "the reviews of one category (<Category>.jsonl.gz) and its items (meta_<Category>.jsonl.gz)",
  },
];

/**
 * Looks a dataset up by its name or one of its aliases.
 *
 * @example
 * findDataset("ml-25m").name // => "movielens-25m"
 */
export function findDataset(name: string): Dataset {
  const wanted = name.toLowerCase();
  const found = datasets.find((dataset) => dataset.name === wanted || dataset.aliases.includes(wanted));
  if (found) return found;
  throw new NearkinError(
    "BAD_ARGUMENT",
    `download: no dataset is called "${name}"; known are ${datasets.map((dataset) => dataset.name).join(", ")}`,
  );
}
