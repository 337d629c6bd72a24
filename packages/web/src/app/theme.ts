// Light, dark, or as the system is. Before the first paint theme-first.js has set what was chosen.
import { effect, signal } from "@preact/signals";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const PLACE = "nearkin.theme"; // theme-first.js reads the same

export const theme = signal<Theme>(storedTheme());

/** Keeps document and storage as the signal says. */
export function keepTheme(): void {
  effect(() => {
    const chosen = theme.value;
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    try {
      if (chosen === "system") localStorage.removeItem(PLACE);
      else localStorage.setItem(PLACE, chosen);
    } catch {
      // storage is refused: the choice lasts until the page is left
    }
  });
}

function storedTheme(): Theme {
  try {
    const stored = globalThis.localStorage?.getItem(PLACE);
    return themes.find((one) => one === stored) ?? "system";
  } catch {
    return "system";
  }
}
