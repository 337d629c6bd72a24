import { useId } from "preact/hooks";
import { type Choice, Combobox } from "../design/combobox.tsx";
import { Icon } from "../design/icon.tsx";
import { proposedWords } from "./list-words.ts";
import "./list-field.css";

interface ListFieldProps {
  label: string;
  /** What training knows. */
  terms: readonly string[];
  words: readonly string[];
  error: string | undefined;
  notice: string | undefined;
  onChange: (words: readonly string[]) => void;
}

/** Words as chips, with a field that proposes those training knows. Backspace in the empty field takes the last one away. */
export function ListField({ label, terms, words, error, notice, onChange }: ListFieldProps) {
  const id = useId();
  const find = async (text: string): Promise<readonly Choice[]> => proposedWords(text, terms, words);
  const known = new Set(terms);
  return (
    <fieldset
      class="list-field"
      aria-describedby={error || notice ? id : undefined}
      onKeyDown={(event) => {
        const input = event.target;
        if (event.key !== "Backspace" || !(input instanceof HTMLInputElement) || input.value !== "") return;
        if (words.length > 0) onChange(words.slice(0, -1));
      }}
    >
      <legend class="unseen">{label}</legend>
      <Combobox
        label={label}
        placeholder={words.length > 0 ? "Add another" : "Add one"}
        find={find}
        onChoose={(choice) => onChange([...words, choice.id])}
      />
      {words.length > 0 && (
        <ul class="list-words">
          {words.map((word) => (
            <li key={word}>
              <button
                type="button"
                class={terms.length === 0 || known.has(word) ? "list-word" : "list-word list-word-unknown"}
                title={
                  terms.length === 0 || known.has(word) ? undefined : "Training had none of it: it counts for nothing"
                }
                aria-label={`Remove ${word}`}
                onClick={() => onChange(words.filter((one) => one !== word))}
              >
                {word}
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {(error || notice) && (
        <p id={id} class={error ? "field-error" : "field-hint"}>
          {error ?? notice}
        </p>
      )}
    </fieldset>
  );
}
