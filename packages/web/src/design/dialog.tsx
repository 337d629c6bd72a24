import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import "./dialog.css";

interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** `sheet` rises from the lower edge: for narrow screens. @default "dialog" */
  look?: "dialog" | "sheet";
  children: ComponentChildren;
}

/** A modal dialog: the browser's own, so that focus stays within and Escape closes it. */
export function Dialog({ title, open, onClose, look = "dialog", children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (!dialog || dialog.open === open) return;
    dialog.setAttribute("closedby", "any"); // also by a click beside it, in browsers that know the attribute
    if (!open) return dialog.close();
    dialog.showModal();
    dialog.querySelector<HTMLElement>("input, select, textarea")?.focus(); // rather than the button that closes it
  }, [open]);
  return (
    <dialog ref={element} class={`dialog dialog-${look}`} aria-labelledby={id} onClose={onClose}>
      {open && (
        <div class="dialog-content">
          <header class="dialog-head">
            <h2 id={id}>{title}</h2>
            <Button look="plain" aria-label="Close" onClick={onClose}>
              <Icon name="close" />
            </Button>
          </header>
          {children}
        </div>
      )}
    </dialog>
  );
}
