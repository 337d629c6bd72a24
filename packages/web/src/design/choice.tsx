import { useId } from "preact/hooks";
import "./choice.css";

interface ChoiceProps<Value extends string> {
  label: string;
  /** The label is read aloud only, where a heading beside it says enough. @default false */
  quiet?: boolean;
  value: Value;
  options: readonly { readonly value: Value; readonly label: string; readonly title?: string }[];
  onChange: (value: Value) => void;
}

/** One of a few, side by side; arrows move between them, as between all radio buttons. */
export function Choice<Value extends string>({ label, quiet = false, value, options, onChange }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class={quiet ? "unseen" : undefined}>{label}</legend>
      <div class="choice-options">
        {options.map((option) => (
          <label key={option.value} title={option.title}>
            <input
              type="radio"
              class="unseen"
              name={name}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
