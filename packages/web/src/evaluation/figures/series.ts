/** Colours of series, each with a stroke of its own: told apart without colour too. */
const looks = [
  { colour: "var(--accent)", dash: undefined },
  { colour: "var(--channel-2)", dash: [7, 3] },
  { colour: "var(--channel-1)", dash: [2, 3] },
  { colour: "var(--channel-5)", dash: [9, 3, 2, 3] },
] as const;

/** The look of a series; a fifth begins again. */
export const seriesLook = (series: number): { colour: string; dash: readonly number[] | undefined } =>
  looks[series % looks.length];

/** As SVG takes it. */
export const strokeOf = (series: number): string => seriesLook(series).dash?.join(" ") ?? "none";
