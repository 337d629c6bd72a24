import { useRef } from "preact/hooks";

/** What a value was before it was what it is now; undefined at first. */
export function usePrevious<Value>(value: Value): Value | undefined {
  const seen = useRef<{ now: Value; before: Value | undefined }>({ now: value, before: undefined });
  if (seen.current.now !== value) seen.current = { now: value, before: seen.current.now };
  return seen.current.before;
}
