import { useEffect } from "preact/hooks";
import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { done, undo } from "./you-state.ts";
import "./undo-bar.css";

/** The last deed, and a way back. It stays until the next one, or until it is closed. */
export function UndoBar() {
  useEffect(onUndoKey, []);
  const last = done.value;
  if (!last) return null;
  return (
    <section class="undo" aria-label="Last change">
      <p>
        {last.said} {last.effect && <span class="soft">{last.effect}</span>}
      </p>
      <Button look="plain" onClick={undo}>
        Undo
      </Button>
      <Button
        look="plain"
        aria-label="Close"
        onClick={() => {
          done.value = undefined;
        }}
      >
        <Icon name="close" />
      </Button>
    </section>
  );
}

/** Control or Command and Z, but for what is typed into. */
function onUndoKey(): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    const within = event.target instanceof HTMLElement ? event.target : null;
    if (within?.closest("input:not([type=range]), textarea, select, [contenteditable], dialog") || !done.peek()) return;
    event.preventDefault();
    undo();
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}
