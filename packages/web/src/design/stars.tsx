import { useRef, useState } from "preact/hooks";
import { ratingAt } from "./stars-place.ts";
import "./stars.css";

const STAR = "M12 3.6l2.6 5.3 5.8.8-4.2 4.1 1 5.8-5.2-2.7-5.2 2.7 1-5.8-4.2-4.1 5.8-.8z";
const COUNT = 5;

interface StarsProps {
  /** What is rated: "Your rating of Alien". */
  label: string;
  /** 0: not rated. */
  value: number;
  onRate: (rating: number) => void;
  /** @default "medium" */
  size?: "medium" | "large";
  /** The value in words. */
  format: (rating: number) => string;
}

/**
 * Half stars up to five. A press rates at once; with the keyboard arrows choose and Enter rates, or leaving the field, and 1 to 5 rate at once. Escape
 * goes back.
 */
export function Stars({ label, value, onRate, size = "medium", format }: StarsProps) {
  // A choice belongs to what it was made for: where the next item takes this one's place, leaving the field must not rate it.
  const [choice, setChoice] = useState({ label, value, rating: value }); // by the keyboard
  const chosen = choice.label === label && choice.value === value ? choice.rating : value;
  const setChosen = (rating: number) => setChoice({ label, value, rating });
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  const pressed = useRef(false);
  const row = useRef<HTMLDivElement>(null);

  const at = (event: PointerEvent) => {
    const { left, width } = (row.current as HTMLElement).getBoundingClientRect();
    return ratingAt((event.clientX - left) / width, COUNT);
  };
  function rate(rating: number): void {
    setChosen(rating > 0 ? rating : value);
    if (rating > 0 && rating !== value) onRate(rating);
  }
  function release(): void {
    pressed.current = false;
    setPointed(undefined);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (/^[1-5]$/.test(event.key)) rate(Number(event.key));
    else if (event.key === "Enter") rate(chosen);
    else if (event.key === "Escape" && chosen !== value) setChosen(value);
    else return;
    event.preventDefault();
  }

  return (
    <div
      class={`stars stars-${size}`}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        pressed.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        setPointed(at(event));
      }}
      onPointerMove={(event) => {
        if (pressed.current || event.pointerType === "mouse") setPointed(at(event));
      }}
      onPointerUp={(event) => {
        if (pressed.current) rate(at(event));
        release();
      }}
      onPointerCancel={release}
      onPointerLeave={() => {
        if (!pressed.current) setPointed(undefined);
      }}
    >
      <input
        type="range"
        min={0}
        max={COUNT}
        step={0.5}
        value={chosen}
        aria-label={label}
        aria-valuetext={format(chosen)}
        onInput={(event) => setChosen(event.currentTarget.valueAsNumber)}
        onKeyDown={onKeyDown}
        onBlur={() => rate(chosen)}
      />
      <div class="stars-row" ref={row} style={{ "--part": String((pointed ?? chosen) / COUNT) }} aria-hidden="true">
        <StarRow />
        <div class="stars-full">
          <StarRow />
        </div>
      </div>
    </div>
  );
}

function StarRow() {
  return (
    <svg viewBox={`0 0 ${24 * COUNT} 24`} aria-hidden="true">
      {Array.from({ length: COUNT }, (_, i) => (
        <path key={i} d={STAR} transform={`translate(${24 * i} 0)`} />
      ))}
    </svg>
  );
}
