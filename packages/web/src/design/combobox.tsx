import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { problemOf } from "../api/problem.ts";
import { nextActive } from "./combobox-keys.ts";
import { Icon, type IconName } from "./icon.tsx";
import "./combobox.css";

export interface Choice {
  readonly id: string;
  readonly name: string;
  /** What tells it from others of the same name. */
  readonly note?: string | undefined;
}

interface ComboboxProps {
  label: string;
  /** Said by the field itself where it is alone on the screen. @default false */
  labelUnseen?: boolean;
  placeholder: string;
  /** Choices for what was typed, the likeliest first; also for nothing, where that helps. Where it fails, that is said in their place. */
  find: (text: string) => Promise<readonly Choice[]>;
  onChoose: (choice: Choice) => void;
  /** What stands in the field until one types. @default nothing */
  value?: string;
  icon?: IconName;
  /** Beside the field, at its end. */
  children?: ComponentChildren;
  inputRef?: { current: HTMLInputElement | null };
}

/** A field that proposes as one types: the combobox of ARIA 1.2. Arrows move, Enter takes, Escape closes, then empties. */
export function Combobox(props: ComboboxProps) {
  const { label, labelUnseen = false, placeholder, find, onChoose, value = "", icon, children, inputRef } = props;
  const id = useId();
  const [text, setText] = useState(value);
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const asked = useRef(0);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => setText(value), [value]);
  // what was chosen stands there selected, as when one comes to the field: who types on looks for another
  useEffect(() => {
    const input = (inputRef ?? field).current;
    if (input === document.activeElement && text === value) input?.select();
  }, [text, value]);
  useEffect(() => list.current?.children[active]?.scrollIntoView({ block: "nearest" }), [active]);

  async function propose(typed: string): Promise<void> {
    const own = ++asked.current;
    let failure: string | undefined;
    const found = await find(typed).catch((error: unknown) => {
      const { title, advice } = problemOf(error);
      failure = `${title}. ${advice}`;
      return [];
    });
    if (own !== asked.current) return;
    setChoices(found);
    setProblem(failure);
    setActive(found.length > 0 && typed.trim() !== "" ? 0 : -1);
    setOpen(found.length > 0 || typed.trim() !== "");
  }

  function close(): void {
    asked.current++;
    setOpen(false);
    setActive(-1);
  }

  function choose(choice: Choice): void {
    close();
    setText(value);
    onChoose(choice);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Escape" && (open || text !== value)) {
      event.preventDefault();
      if (!open) setText(value);
      close();
    } else if (event.key === "Enter" && open && choices[active]) {
      event.preventDefault();
      choose(choices[active]);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (open) setActive(nextActive(active, choices.length, event.key));
      else void propose(text === value ? "" : text);
    }
  }

  return (
    <div class="combobox">
      <label for={id} class={labelUnseen ? "unseen" : "combobox-label"}>
        {label}
      </label>
      <div class="combobox-field">
        {icon && <Icon name={icon} />}
        <input
          ref={inputRef ?? field}
          id={id}
          class="input"
          type="text"
          role="combobox"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder={placeholder}
          aria-autocomplete="list"
          aria-expanded={open}
          aria-controls={`${id}-list`}
          aria-activedescendant={open && active >= 0 ? `${id}-${active}` : undefined}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            void propose(event.currentTarget.value);
          }}
          onFocus={(event) => {
            event.currentTarget.select();
            void propose("");
          }}
          onBlur={() => {
            close();
            setText(value);
          }}
          onKeyDown={onKeyDown}
        />
        {children}
      </div>
      {/* no stop of the tab key, which browsers make of all that scrolls: it closes as soon as the field is left */}
      <div class="combobox-list" hidden={!open} tabIndex={-1}>
        <div id={`${id}-list`} ref={list} role="listbox" aria-label={label}>
          {choices.map((choice, i) => (
            <Option
              key={choice.id}
              id={`${id}-${i}`}
              choice={choice}
              active={i === active}
              onPoint={() => setActive(i)}
              onTake={() => choose(choice)}
            />
          ))}
        </div>
        {choices.length === 0 && <p class="combobox-none">{problem ?? "Nothing is called so. Try fewer letters."}</p>}
      </div>
      <p class="unseen" aria-live="polite">
        {open && (problem ?? `${choices.length} found`)}
      </p>
    </div>
  );
}

interface OptionProps {
  id: string;
  choice: Choice;
  active: boolean;
  onPoint: () => void;
  onTake: () => void;
}

/** The focus stays in the field; what is pressed must not take it away. */
function Option({ id, choice: { name, note }, active, onPoint, onTake }: OptionProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={active}
      tabIndex={-1}
      onMouseMove={onPoint}
      onMouseDown={(event) => {
        event.preventDefault();
        if (event.button === 0) onTake();
      }}
    >
      <span class="combobox-name">{name}</span>
      {note && <span class="combobox-note">{note}</span>}
    </div>
  );
}
