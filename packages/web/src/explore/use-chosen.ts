import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { query, setQuery } from "../app/router.ts";
import { type Chosen, printChosen, readChosen } from "./tuning.ts";

const REST = 150; // ms without a move, after which the address follows

/** What the address has chosen, and a way to choose otherwise: at once on the screen, in the address as soon as the hand rests. */
export function useChosen(channels: readonly string[]): [Chosen, (chosen: Chosen) => void] {
  const moving = useSignal<Chosen | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function choose(chosen: Chosen): void {
    moving.value = chosen;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setQuery(printChosen(chosen));
      moving.value = undefined;
    }, REST);
  }

  return [moving.value ?? readChosen(query.value, channels), choose];
}
