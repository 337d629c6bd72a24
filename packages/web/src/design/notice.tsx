import type { ComponentChildren } from "preact";
import "./notice.css";

interface NoticeProps {
  /** `caution` stands out; `quiet` is for what is good to know. @default "quiet" */
  tone?: "quiet" | "caution";
  title?: string;
  children: ComponentChildren;
}

/** Something to be read before what stands below it. */
export function Notice({ tone = "quiet", title, children }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`}>
      {title && <p class="notice-title">{title}</p>}
      {children}
    </div>
  );
}

/** Said wherever results of made-up ratings are shown. */
export function SimulatedNotice() {
  return (
    <Notice>
      <p>
        <strong>Simulated users and ratings.</strong> These figures show how the method works, not how well it does for
        real people.
      </p>
    </Notice>
  );
}
