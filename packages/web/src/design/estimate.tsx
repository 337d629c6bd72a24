import { decimals, isMeasured, type Measured, rangeText } from "./numbers.ts";
import "./estimate.css";

interface EstimateProps {
  mean: Measured;
  low: Measured;
  high: Measured;
  /** Values at the ends of the drawing, the same for all that are compared. */
  domain: readonly [number, number];
  /** Surely the best of its column. */
  best?: boolean;
  /** What the test against the base says. */
  verdict?: "better" | "worse" | "open";
}

/** An estimate with its 95 % interval, as numbers and as a small drawing. */
export function Estimate({ mean, low, high, domain, best = false, verdict = "open" }: EstimateProps) {
  if (!isMeasured(mean)) return <>–</>;
  const [from, to] = domain;
  const at = (value: Measured) => String(Math.min(1, Math.max(0, ((value ?? mean) - from) / (to - from || 1))));
  return (
    <span class="estimate">
      <span class="estimate-numbers">
        {best ? <strong>{decimals(mean)}</strong> : decimals(mean)}
        {verdict !== "open" && (
          <span class={`estimate-mark estimate-${verdict}`} role="img" aria-label={`${verdict} than the base`}>
            {verdict === "better" ? "↑" : "↓"}
          </span>
        )}{" "}
        <span class="estimate-range">{rangeText({ low, high })}</span>
      </span>
      <span
        class="estimate-drawing"
        aria-hidden="true"
        style={{ "--low": at(low), "--mean": at(mean), "--high": at(high) }}
      />
    </span>
  );
}

/** The domain that holds all intervals of a column; it begins at 0 where they are all one point. */
export function domainOf(
  intervals: readonly ({ readonly low: Measured; readonly high: Measured } | undefined)[],
): readonly [number, number] {
  const ends = intervals.flatMap((interval) => [interval?.low, interval?.high]).filter(isMeasured);
  if (ends.length === 0) return [0, 1];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  return [least < most ? least : Math.min(0, least), most];
}
