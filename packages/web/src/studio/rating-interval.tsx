import type { Rating } from "./asked.ts";
import { scaleOf, shownRating } from "./rating-scale.ts";
import "./rating-interval.css";

/** The mean with its deviation, and how far one rating may lie from it, on a piece of the scale. */
export function RatingInterval({ rating }: { rating: Rating }) {
  const { mean, deviation, observationDeviation } = rating;
  const scale = scaleOf(rating);
  const show = (value: number) => shownRating(value, scale);
  const span = (half: number) => ({
    "--from": String(scale.at(mean - half)),
    "--to": String(scale.at(mean + half)),
  });
  return (
    <div class="rating">
      <p class="rating-figure figures">
        {show(mean)} <span class="soft">± {show(deviation)}</span>
      </p>
      <div
        class="rating-axis"
        role="img"
        aria-label={`Mean rating ${show(mean)}, give or take ${show(deviation)}; one rating ${show(observationDeviation)}`}
      >
        <span class="rating-span rating-one" style={span(observationDeviation)} />
        <span class="rating-span rating-mean" style={span(deviation)} />
        <span class="rating-dot" style={{ "--at": String(scale.at(mean)) }} />
        {scale.ticks.map((tick) => (
          <span key={tick} class="rating-tick figures" style={{ "--at": String(scale.at(tick)) }}>
            {tick}
          </span>
        ))}
      </div>
      <p class="soft small">
        What people will rate it on average, and one standard deviation. A single rating may be{" "}
        {show(observationDeviation)} away.
      </p>
    </div>
  );
}
