import "./legend.css";

export interface LegendEntry {
  name: string;
  colour: string;
  /** @default "line" */
  shape?: "line" | "bar" | "circle" | "square" | "triangle";
  /** Lengths of strokes and gaps of a line. */
  dash?: readonly number[] | undefined;
  strong?: boolean | undefined;
}

/** What colours and strokes stand for. */
export function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <ul class="legend">
      {entries.map((entry) => (
        <li key={entry.name}>
          <svg viewBox="0 0 28 12" aria-hidden="true">
            <Shape {...entry} />
          </svg>
          {entry.name}
        </li>
      ))}
    </ul>
  );
}

function Shape({ colour, shape = "line", dash, strong }: LegendEntry) {
  switch (shape) {
    case "line":
      return (
        <line
          x1="0"
          x2="28"
          y1="6"
          y2="6"
          stroke={colour}
          stroke-width={strong ? 3 : 2}
          stroke-dasharray={dash?.join(" ")}
        />
      );
    case "bar":
      return <rect x="8" y="0" width="12" height="12" rx="2" fill={colour} />;
    case "circle":
      return <circle cx="14" cy="6" r="5" fill={colour} />;
    case "square":
      return <rect x="9.5" y="1.5" width="9" height="9" fill={colour} />;
    case "triangle":
      return <path d="M14 0 20 11H8Z" fill={colour} />;
  }
}
