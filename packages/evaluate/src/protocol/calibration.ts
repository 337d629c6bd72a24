// Whether the posterior knows what it does not know: predicted against actual mean ratings of items that training has not seen.
import { type Model, NearkinError, normalQuantile } from "@nearkin/core";
import type { TruthItems } from "@nearkin/data";
import { bootstrapMean, type Interval, mean } from "../statistics/bootstrap.ts";

/** Shares that central intervals promise. */
const promised = [0.5, 0.8, 0.95] as const;

/** Figures over test items with at least one rating; in the units of the ratings. */
export interface Calibration {
  readonly items: number;
  /** Root mean square of prediction − actual mean. */
  readonly rmse: number;
  /** The same for the mean over all training ratings, which knows nothing of an item. */
  readonly rmseOfMean: number;
  /** Mean of −log N(actual; mean, deviation² + Σ_i), nats. */
  readonly nll: Interval;
  /** The same for N(mean over training items, their variance). */
  readonly nllOfMean: number;
  /** Share of the items inside the central interval that promises 50, 80 and 95 %. */
  readonly coverage: Readonly<Record<string, number>>;
  /** Of the items with so many ratings or more, as far as there are any: a mean of one or two is mostly the taste of who gave them. */
  readonly byRatings: readonly RatedCalibration[];
}

export interface RatedCalibration extends Pick<Calibration, "items" | "rmse" | "rmseOfMean"> {
  readonly least: number;
  /** Pearson's, of predictions and actual means; null where one of them does not vary. */
  readonly correlation: number | null;
}

const LEAST_RATINGS = [1, 3, 10];

/** One item: what was predicted of its mean rating, what it was, and how sure one could be. */
export interface Forecast {
  readonly mean: number;
  /** Of the posterior and of the noise of a mean over this item's ratings. */
  readonly variance: number;
  readonly actual: number;
  /** n_i that the actual mean is of. */
  readonly ratings: number;
}

/** Forecasts of the mean of n_i ratings: the variance of the mean over many, plus s²/n_i. */
export async function forecastItems(
  model: Model,
  { queries, ratings, mean: actual }: TruthItems,
  ids: readonly string[],
): Promise<Forecast[]> {
  const { noise, rating } = model.parts;
  const forecasts: Forecast[] = [];
  for (let r = 0; r < queries.length; r++) {
    if (ratings[r] === 0 || Number.isNaN(actual[r])) continue;
    const { mean: predicted, deviation } = await model.predict(ids[queries[r]]);
    const own = (rating.scale ** 2 * noise.perRating) / ratings[r];
    forecasts.push({ mean: predicted, variance: deviation ** 2 + own, actual: actual[r], ratings: ratings[r] });
  }
  return forecasts;
}

export interface CalibrationInputs {
  /** Mean and variance of the mean ratings of training items: the forecast without any knowledge of an item. */
  readonly prior: { readonly mean: number; readonly variance: number };
}

export function calibrate(forecasts: readonly Forecast[], { prior }: CalibrationInputs): Calibration {
  if (forecasts.length === 0)
    throw new NearkinError("BAD_DATASET", "no test item has a rating: nothing to calibrate on");
  const items = forecasts.length;
  const coverage = Object.fromEntries(
    promised.map((share) => {
      const widths = normalQuantile((1 + share) / 2);
      const inside = forecasts.filter((own) => Math.abs(own.actual - own.mean) <= widths * Math.sqrt(own.variance));
      return [String(share), inside.length / items];
    }),
  );
  const surprises = (of: (forecast: Forecast) => { mean: number; variance: number }) =>
    forecasts.map((forecast) => {
      const { mean: centre, variance } = of(forecast);
      return 0.5 * Math.log(2 * Math.PI * variance) + (forecast.actual - centre) ** 2 / (2 * variance);
    });
  return {
    items,
    ...errors(forecasts, prior.mean),
    nll: bootstrapMean(surprises((forecast) => forecast)),
    nllOfMean: surprises(() => prior).reduce((sum, value) => sum + value, 0) / items,
    coverage,
    byRatings: LEAST_RATINGS.flatMap((least) => {
      const rated = forecasts.filter(({ ratings }) => ratings >= least);
      if (rated.length === 0) return [];
      return [{ least, items: rated.length, ...errors(rated, prior.mean), correlation: correlation(rated) }];
    }),
  };
}

function errors(forecasts: readonly Forecast[], centre: number): Pick<Calibration, "rmse" | "rmseOfMean"> {
  const rootMeanSquare = (error: (forecast: Forecast) => number) =>
    Math.sqrt(mean(forecasts.map((forecast) => error(forecast) ** 2)));
  return {
    rmse: rootMeanSquare((forecast) => forecast.mean - forecast.actual),
    rmseOfMean: rootMeanSquare(({ actual }) => centre - actual),
  };
}

function correlation(forecasts: readonly Forecast[]): number | null {
  const predicted = centred(forecasts.map((forecast) => forecast.mean));
  const actual = centred(forecasts.map((forecast) => forecast.actual));
  const product = (a: readonly number[], b: readonly number[]) => mean(a.map((value, i) => value * b[i]));
  const spread = Math.sqrt(product(predicted, predicted) * product(actual, actual));
  return spread > 0 ? product(predicted, actual) / spread : null;
}

function centred(values: readonly number[]): number[] {
  const centre = mean(values);
  return values.map((value) => value - centre);
}
