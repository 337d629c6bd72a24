/**
 * The choice that an arrow leads to: past the last comes the first, and the other way round; −1 is none.
 *
 * @example
 * nextActive(-1, 3, "ArrowUp") // => 2
 */
export function nextActive(active: number, count: number, key: "ArrowDown" | "ArrowUp"): number {
  if (count === 0) return -1;
  if (key === "ArrowDown") return (active + 1) % count;
  return active <= 0 ? count - 1 : active - 1;
}
