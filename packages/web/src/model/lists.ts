// Where the lists of two models differ.
import type { CatalogueLists } from "../engine/similarity.ts";

interface ListPair {
  readonly id: string;
  readonly title: string;
  /** Share of the places whose items both lists have. */
  readonly overlap: number;
  /** Titles, best first. */
  readonly a: readonly string[];
  readonly b: readonly string[];
}

export interface ListsDifference {
  /** Items that both models know. */
  readonly items: number;
  /** Mean overlap. */
  readonly overlap: number;
  /** Share of the items whose first neighbour stays. */
  readonly sameFirst: number;
  /** The items whose lists differ most, those first. */
  readonly most: readonly ListPair[];
}

/** Undefined where the models have no item in common. */
export function compareLists(a: CatalogueLists, b: CatalogueLists, shown: number): ListsDifference | undefined {
  const titles = new Map([...namesOf(b), ...namesOf(a)]);
  const others = new Map(b.ids.map((id, row) => [id, b.lists[row]]));
  const pairs = a.ids.flatMap((id, row) => {
    const [own, other] = [a.lists[row], others.get(id)];
    return other ? [{ id, own, other, overlap: overlapOf(own, other) }] : [];
  });
  if (pairs.length === 0) return undefined;
  const mean = (of: (pair: (typeof pairs)[number]) => number) =>
    pairs.reduce((sum, pair) => sum + of(pair), 0) / pairs.length;
  return {
    items: pairs.length,
    overlap: mean(({ overlap }) => overlap),
    sameFirst: mean(({ own, other }) => (own[0] === other[0] ? 1 : 0)),
    most: pairs
      .toSorted((x, y) => x.overlap - y.overlap)
      .slice(0, shown)
      .map(({ id, own, other, overlap }) => ({
        id,
        title: titles.get(id) ?? id,
        overlap,
        a: own.map((item) => titles.get(item) ?? item),
        b: other.map((item) => titles.get(item) ?? item),
      })),
  };
}

const namesOf = ({ ids, titles }: CatalogueLists): [string, string][] => ids.map((id, row) => [id, titles[row] ?? id]);

function overlapOf(a: readonly string[], b: readonly string[]): number {
  const places = Math.max(a.length, b.length);
  const known = new Set(b);
  return places === 0 ? 1 : a.filter((id) => known.has(id)).length / places;
}
