import { Icon } from "../design/icon.tsx";
import { theme, themes } from "./theme.ts";
import "./theme-switch.css";

const names = { system: "As the system", light: "Light", dark: "Dark" };

/** One of three; arrows move between them, as between all radio buttons. */
export function ThemeSwitch() {
  return (
    <fieldset class="theme-switch">
      <legend class="unseen">Theme</legend>
      {themes.map((one) => (
        <label key={one} title={names[one]}>
          <input
            type="radio"
            name="theme"
            class="unseen"
            checked={theme.value === one}
            onChange={() => {
              theme.value = one;
            }}
          />
          <Icon name={one} />
          <span class="unseen">{names[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}
