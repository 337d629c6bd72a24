import "./bar.css";

export interface Segment {
  label: string;
  /** Not below 0. */
  value: number;
  colour: string;
  /** Drawn as hatched: a stand-in, not a measured value. */
  hatched?: boolean;
}

interface BarProps {
  /** What the bar shows, with its numbers: all that is read aloud. */
  label: string;
  segments: readonly Segment[];
  /** The value of the whole width, the same for all bars that are compared. */
  full: number;
}

/** Parts of a sum, side by side. */
export function Bar({ label, segments, full }: BarProps) {
  return (
    <div class="bar" role="img" aria-label={label}>
      {segments.map((segment) => (
        <span
          key={segment.label}
          class={segment.hatched ? "bar-segment bar-hatched" : "bar-segment"}
          style={{ "--part": String(full > 0 ? Math.max(0, segment.value) / full : 0), "--colour": segment.colour }}
        />
      ))}
    </div>
  );
}
