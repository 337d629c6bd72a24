const PAGE = 10; // points

/** The place that a key goes to, as of a slider; undefined for all other keys. */
export function stepAfterKey(key: string, index: number, length: number): number | undefined {
  const to = {
    ArrowLeft: index - 1,
    ArrowDown: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    PageDown: index - PAGE,
    PageUp: index + PAGE,
    Home: 0,
    End: length - 1,
  }[key];
  return to === undefined ? undefined : Math.min(length - 1, Math.max(0, to));
}
