import type { ComponentChildren } from "preact";
import "./empty.css";

interface EmptyProps {
  /** What is not there, in a few words. */
  title: string;
  /** What to do about it. */
  children?: ComponentChildren;
}

/** Nothing to show, and what to do about it. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
