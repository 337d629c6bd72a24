/**
 * An eigenvector's sign is nobody's choice but ours: its entry of largest magnitude, the first one on ties, is made positive.
 * The vector has `count` entries from `start` on, `stride` apart.
 */
export function fixSign(values: Float64Array, start: number, count: number, stride = 1): void {
  let top = 0;
  let sign = 1;
  for (let i = 0, at = start; i < count; i++, at += stride) {
    const magnitude = Math.abs(values[at]);
    if (magnitude > top) {
      top = magnitude;
      sign = values[at] < 0 ? -1 : 1;
    }
  }
  if (sign < 0) for (let i = 0, at = start; i < count; i++, at += stride) values[at] = 0 - values[at]; // 0, not −0
}
