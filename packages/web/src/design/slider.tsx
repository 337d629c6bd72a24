import { useId } from "preact/hooks";
import "./slider.css";

interface SliderProps {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  /** While it moves. */
  onInput: (value: number) => void;
  /** The value in words, such as "1.5×". */
  format: (value: number) => string;
  /** A colour that stands for it elsewhere, such as "var(--channel-1)". */
  colour?: string | undefined;
  /** A value worth finding again: a tick, where a double click goes. */
  home?: number | undefined;
  /** What it does, below. */
  hint?: string | undefined;
  /** Label, groove and value in one row: for many sliders that belong together. @default false */
  compact?: boolean;
  disabled?: boolean;
}

/** A number between two others, moved by hand, arrows, Page up and down, Home and End. */
export function Slider(props: SliderProps) {
  const { label, value, min, max, step, onInput, format, colour, home, hint, compact = false, disabled } = props;
  const id = useId();
  const at = (place: number) => (Math.min(max, Math.max(min, place)) - min) / (max - min);
  const places = {
    "--from": String(Math.min(at(0), at(value))), // the groove is filled from 0, wherever that lies
    "--to": String(Math.max(at(0), at(value))),
    "--home": String(at(home ?? min)),
    "--colour": colour ?? "var(--accent)",
  };
  return (
    <div class={compact ? "slider slider-compact" : "slider"} style={places}>
      <label for={id}>
        {colour && <span class="slider-swatch" aria-hidden="true" />}
        {label}
      </label>
      <output for={id} class="figures">
        {format(value)}
      </output>
      <div class={home === undefined ? "slider-track" : "slider-track slider-has-home"}>
        <input
          id={id}
          type="range"
          min={min}
          max={max}
          step={step}
          value={value}
          disabled={disabled}
          aria-valuetext={format(value)}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onInput={(event) => onInput(event.currentTarget.valueAsNumber)}
          onDblClick={() => home !== undefined && onInput(home)}
        />
      </div>
      {hint && (
        <p class="slider-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
