// Progress on standard error: on a terminal one line that is rewritten, elsewhere a line now and then.
import { type Output, processOutput } from "./output.ts";

export interface LiveLine {
  /** What is under way: shown on a terminal only. */
  show(text: string): void;
  /** How far it is: rewritten on a terminal, every few seconds elsewhere. */
  now(text: string): void;
  /** A line that stays. */
  end(text: string): void;
}

/** Milliseconds between two reports of `now`: a terminal's line is rewritten, a log's lines add up. */
const EVERY = { terminal: 100, log: 5000 } as const;

export function liveLine(
  output: Output,
  terminal = output === processOutput && process.stderr.isTTY === true,
): LiveLine {
  let last = Number.NEGATIVE_INFINITY;
  const rewrite = (text: string) =>
    output.log(`\r\x1b[K${text.slice(0, Math.max(20, (process.stderr.columns ?? 80) - 1))}`);
  return {
    show(text) {
      last = performance.now(); // the first report of `now` waits its turn
      if (terminal) rewrite(text);
    },
    now(text) {
      if (performance.now() - last < (terminal ? EVERY.terminal : EVERY.log)) return;
      last = performance.now();
      if (terminal) rewrite(text);
      else output.log(`${text}\n`);
    },
    end(text) {
      output.log(terminal ? `\r\x1b[K${text}\n` : `${text}\n`);
    },
  };
}

/** Seconds for people: "0.4 s", "12 s", "3 min 20 s", "2 h 5 min". */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.round((whole % 3600) / 60)} min`;
}
