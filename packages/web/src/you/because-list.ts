// What is near to a rated item by the user's own metric, asked again with every rating. What stands there stays until the next answer.
import { signal, useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { OwnNeighbour } from "../engine/personal-calls.ts";
import { latestOnly } from "../explore/latest.ts";
import { learned } from "./learning.ts";
import { ownModel } from "./own-model.ts";
import { notes } from "./you-state.ts";

const SHOWN = 10; // items

export function useOwnList(seed: string): readonly OwnNeighbour[] | undefined {
  const { wanted, list, put } = useMemo(createOwnList, []);
  wanted.value = seed;
  useSignalEffect(() => {
    const item = wanted.value;
    if (learned.value) put(item); // after what was learned, which is shown first
  });
  return list.value?.seed === seed ? list.value.items : undefined;
}

function createOwnList() {
  const wanted = signal("");
  const list = signal<{ seed: string; items: readonly OwnNeighbour[] } | undefined>(undefined);
  const put = latestOnly(async (seed: string) => {
    const model = ownModel.peek();
    if (model.state !== "ready") return;
    const given = notes.peek().ratings.map(({ item, rating }) => ({ item, rating }));
    try {
      list.value = { seed, items: await model.calls.ownSimilar(given, seed, SHOWN) };
    } catch {
      list.value = { seed, items: [] }; // it left the catalogue meanwhile
    }
  });
  return { wanted, list, put };
}
