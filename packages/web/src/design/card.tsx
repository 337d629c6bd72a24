import type { ComponentChildren } from "preact";
import "./card.css";

interface CardProps {
  /** Names the region for those who listen; without it, it is a mere box. */
  label?: string;
  class?: string;
  children: ComponentChildren;
}

/** A raised surface that holds one thing. */
export function Card({ label, class: more, children }: CardProps) {
  const classes = `card ${more ?? ""}`;
  if (label === undefined) return <div class={classes}>{children}</div>;
  return (
    <section class={classes} aria-label={label}>
      {children}
    </section>
  );
}
