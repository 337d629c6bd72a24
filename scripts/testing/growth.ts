// Time complexity of a function of a text, measured: the exponent e in time ≈ length^e, from a fit over doubling lengths.

const MIN_LENGTH = 16; // characters
const MAX_LENGTH = 2 ** 15;
const FITTED_LENGTHS = 6; // the longest ones
const TIMINGS = 4; // for each length; the best counts
const NOISE_MS = 4; // below it a fit says nothing. A linear pattern takes some 0.1 ms for the longest text
const ENOUGH_MS = 20; // far above noise: longer texts need not be tried
const FITS = 3; // a fit that looks bad is repeated: the best counts

/** From this exponent on a function is not linear. A square has 2; a linear one, with the noise of a busy machine, about 1. */
export const MAX_EXPONENT = 1.5;

type Run = (text: string) => unknown;

/** The exponent of `run` on texts of up to `longest` characters; 0 if the longest one takes too little time to tell. */
export function growthExponent(run: Run, textOf: (length: number) => string, longest = MAX_LENGTH): number {
  let least = Number.POSITIVE_INFINITY;
  for (let fit = 0; fit < FITS && least > MAX_EXPONENT; fit++) least = Math.min(least, exponent(run, textOf, longest));
  return least;
}

function exponent(run: Run, textOf: (length: number) => string, longest: number): number {
  const points: Point[] = [];
  let time = 0;
  for (let length = MIN_LENGTH; length <= longest && time < ENOUGH_MS; length *= 2) {
    const text = textOf(length);
    time = bestTime(run, text);
    points.push([Math.log(text.length), Math.log(time)]);
  }
  return time < NOISE_MS ? 0 : slope(points.slice(-FITTED_LENGTHS));
}

/** Milliseconds of the fastest of several runs: whatever else happens on the machine only adds to a time. */
function bestTime(run: Run, text: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let timing = 0, spent = 0; timing < TIMINGS && spent < 2 * ENOUGH_MS; timing++) {
    const time = timeOf(run, text);
    best = Math.min(best, time);
    spent += time;
  }
  return best;
}

/** CPU time, which does not grow while other programs have the core; the time of the clock if that is less, or if CPU time is counted coarsely. */
function timeOf(run: Run, text: string): number {
  const started = performance.now();
  const before = process.cpuUsage();
  run(text);
  const { user, system } = process.cpuUsage(before);
  const clock = performance.now() - started;
  return user + system > 0 ? Math.min(clock, (user + system) / 1000) : clock;
}

type Point = readonly [x: number, y: number];

/** Of the line that fits best, by least squares. */
function slope(points: readonly Point[]): number {
  const meanOf = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [x0, y0] = [meanOf(0), meanOf(1)];
  const rise = points.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0);
  return rise / points.reduce((sum, [x]) => sum + (x - x0) ** 2, 0);
}
