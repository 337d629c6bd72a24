// Colours for what is drawn on a canvas, where custom properties do not reach.
import { useEffect } from "preact/hooks";
import { theme } from "./theme.ts";

/** A colour of the page, such as "var(--accent)", as the theme has it where the element stands. */
export function resolveColour(element: Element, colour: string): string {
  const probe = document.createElement("span");
  probe.style.color = colour;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Calls at first, and after every change between light and dark, whoever made it. */
export function useThemeChange(changed: () => void): void {
  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", changed);
    const stop = theme.subscribe(changed);
    return () => {
      system.removeEventListener("change", changed);
      stop();
    };
  }, [changed]);
}
