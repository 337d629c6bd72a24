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
  segments: readonly Segment[];
  /** The value of the whole width, the same for all bars that are compared. */
  full: number;
}

/** Parts of a sum, side by side. Silent: whoever shows it also says its numbers. */
export function Bar({ segments, full }: BarProps) {
  return (
    <span class="bar" aria-hidden="true">
      {segments.map((segment) => (
        <span
          key={segment.label}
          class={segment.hatched ? "bar-segment bar-hatched" : "bar-segment"}
          style={{ "--part": String(full > 0 ? Math.max(0, segment.value) / full : 0), "--colour": segment.colour }}
        />
      ))}
    </span>
  );
}
