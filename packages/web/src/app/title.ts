import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** What the screen is about; read aloud when it changes. */
export const screenTitle = signal("");

/** Names the screen in the tab, and for those who listen. */
export function useTitle(title: string): void {
  useEffect(() => {
    screenTitle.value = title;
    document.title = title === "" ? "Nearkin" : `${title} · Nearkin`;
  }, [title]);
}
