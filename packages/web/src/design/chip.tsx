import type { ComponentChildren } from "preact";
import "./chip.css";

interface ChipProps {
  /** @default "plain" */
  tone?: "plain" | "accent" | "caution";
  title?: string;
  children: ComponentChildren;
}

/** A word or two that belong to what stands beside them. */
export function Chip({ tone = "plain", title, children }: ChipProps) {
  return (
    <span class={`chip chip-${tone}`} title={title}>
      {children}
    </span>
  );
}
