import { useEffect, useState } from "preact/hooks";
import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { Slider } from "../design/slider.tsx";
import { activeModel, channelColour } from "../engine/active-model.ts";
import { type Chosen, HIGHEST, isMoved, questionOf, type StartingMetric, unitOf, weightAt } from "./tuning.ts";
import { UserChooser } from "./user-chooser.tsx";
import "./tuning-panel.css";

interface TuningPanelProps {
  chosen: Chosen;
  /** The user's metric, or the one that all share. */
  start: StartingMetric;
  /** Where that comes from, in words, where it is a user's. */
  reason?: string | undefined;
  onChange: (chosen: Chosen) => void;
}

/** What a slider of a derived channel is about, by the channel's type. */
const HINTS: Readonly<Record<string, string>> = {
  surrogate: "Who will like it, predicted from all other channels.",
  behavior: "Who met it: people who met the one also met the other.",
};

/** Whose metric, and a slider for everything that goes into it. Beside the list on wide screens, over its lower part on narrow ones. */
export function TuningPanel({ chosen, start, reason, onChange }: TuningPanelProps) {
  const [open, setOpen] = useState(false); // on narrow screens
  useEffect(() => {
    if (open) showList();
  }, [open]);
  return (
    <aside class={open ? "tuning tuning-open" : "tuning"} aria-label="Tuning">
      <button type="button" class="tuning-handle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? "close" : "tune"} />
        {open ? "Close" : "Tune"}
        <span class="soft">{chosen.user ?? "Everyone’s"}</span>
      </button>
      <div class="tuning-body">
        <UserChooser
          user={chosen.user}
          reason={reason}
          onChoose={(user) => onChange({ ...chosen, user, weights: {}, popularity: null, history: null })}
        />
        <ChannelSliders chosen={chosen} start={start} onChange={onChange} />
        <ListSliders chosen={chosen} start={start} onChange={onChange} />
        <Button
          disabled={!isMoved(chosen)}
          onClick={() => onChange({ ...chosen, weights: {}, popularity: null, history: null, diversity: 0 })}
        >
          Reset sliders
        </Button>
      </div>
    </aside>
  );
}

/** A slider for each channel, in multiples of what was learned. */
function ChannelSliders({ chosen, start, onChange }: TuningPanelProps) {
  const channels = activeModel.value?.channels ?? [];
  const learned = Object.fromEntries(channels.map(({ name, weight }) => [name, weight]));
  const { weights } = questionOf(chosen, start);
  return (
    <fieldset class="tuning-group">
      <legend>What counts</legend>
      {channels.map(({ name, type }) => {
        const unit = unitOf(name, learned);
        return (
          <Slider
            key={name}
            compact
            label={name}
            colour={channelColour(name)}
            min={0}
            max={HIGHEST}
            step={0.05}
            value={weights[name] / unit}
            home={start.weights[name] / unit}
            format={times}
            hint={HINTS[type]}
            onInput={(multiple) =>
              onChange({ ...chosen, weights: { ...chosen.weights, [name]: weightAt(multiple, unit) } })
            }
          />
        );
      })}
    </fieldset>
  );
}

function ListSliders({ chosen, start, onChange }: TuningPanelProps) {
  return (
    <fieldset class="tuning-group">
      <legend>How the list is made</legend>
      <Slider
        compact
        label="Popularity"
        min={-1}
        max={1}
        step={0.05}
        value={chosen.popularity ?? start.popularity}
        home={start.popularity}
        format={(value) => (Math.abs(value) < 0.005 ? "off" : `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`)}
        hint="Right: the most rated come earlier. Left: later."
        onInput={(popularity) => onChange({ ...chosen, popularity })}
      />
      {start.met.length > 0 && (
        <Slider
          compact
          label="Met lately"
          min={0}
          max={HIGHEST}
          step={0.05}
          value={chosen.history ?? 1}
          home={1}
          format={(value) => (value === 0 ? "off" : times(value))}
          hint="How much counts what this user met last: what people with the same items met comes earlier."
          onInput={(history) => onChange({ ...chosen, history })}
        />
      )}
      <Slider
        compact
        label="Diversity"
        min={0}
        max={1}
        step={0.05}
        value={chosen.diversity}
        home={0}
        format={(value) => (value === 0 ? "off" : value.toFixed(2))}
        hint="How much items should differ from each other."
        onInput={(diversity) => onChange({ ...chosen, diversity })}
      />
    </fieldset>
  );
}

/** Whoever opens the sliders wants to see what they move: the list comes to the top, above the sheet. */
function showList(): void {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  document.getElementById("neighbours-list")?.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
}

const times = (multiple: number): string => `${multiple.toFixed(2)}×`;
