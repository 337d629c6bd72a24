// The list of an item's neighbours, asked again whenever the question changes. What stands there stays until the next answer.
import { signal, useSignal, useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { type Problem, problemOf } from "../api/problem.ts";
import { sessionNumber } from "../api/session.ts";
import { similarity } from "../engine/engine.ts";
import type { ExplainedItem, Similarity, SimilarQuestion } from "../engine/similarity.ts";
import { latestOnly } from "./latest.ts";
import { countsNothing } from "./tuning.ts";

export interface LiveList {
  readonly items: readonly ExplainedItem[];
  /** What it was asked by. */
  readonly question: SimilarQuestion;
  readonly place: Similarity["place"];
  /** From question to answer. */
  readonly milliseconds: number;
}

interface Asked {
  readonly item: string;
  readonly question: SimilarQuestion;
  readonly by: Similarity;
}

/** Undefined until the first answer. `question` is undefined where it cannot be put yet. */
export function useLiveList(item: string, question: SimilarQuestion | undefined) {
  const { list, problem, put } = useMemo(createLiveList, []);
  const asked = useSignal({ item, question });
  const text = JSON.stringify({ item, question });
  useMemo(() => {
    asked.value = { item, question };
  }, [text]);
  useSignalEffect(() => {
    const { item: wanted, question: wantedBy } = asked.value;
    const by = similarity.value;
    sessionNumber.value; // another key may be answered where this one was refused
    if (wantedBy && !countsNothing(wantedBy)) put({ item: wanted, question: wantedBy, by });
  });
  const askAgain = () => {
    asked.value = { ...asked.peek() };
  };
  return { list: list.value, problem: problem.value, askAgain };
}

function createLiveList() {
  const list = signal<LiveList | undefined>(undefined);
  const problem = signal<Problem | undefined>(undefined);
  const put = latestOnly(async ({ item, question, by }: Asked) => {
    const started = performance.now();
    try {
      const items = await by.similar(item, question);
      list.value = { items, question, place: by.place, milliseconds: performance.now() - started };
      problem.value = undefined;
    } catch (error) {
      if (by === similarity.peek()) problem.value = problemOf(error); // else whoever answers now is asked next
    }
  });
  return { list, problem, put };
}
