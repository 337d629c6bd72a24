import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { problemOf } from "../api/problem.ts";
import { ProblemView } from "../design/problem.tsx";

/** A screen that cannot be drawn says so, and leaves the rest of the page as it is. Another address is another try. */
export function Guard({ at, children }: { at: string; children: ComponentChildren }) {
  const [error, again] = useErrorBoundary();
  useEffect(again, [at]);
  return error ? <ProblemView problem={problemOf(error)} onRetry={again} /> : children;
}
