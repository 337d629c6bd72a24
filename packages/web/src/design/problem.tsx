import type { ComponentChildren } from "preact";
import type { Problem } from "../api/problem.ts";
import { askToSignIn } from "../api/session.ts";
import { Button } from "./button.tsx";
import "./problem.css";

interface ProblemViewProps {
  problem: Problem;
  /** Tries again; without it there is no button. */
  onRetry?: (() => void) | undefined;
  children?: ComponentChildren;
}

/** What went wrong, and what to do about it. */
export function ProblemView({ problem, onRetry, children }: ProblemViewProps) {
  return (
    <div class={problem.remedy === "sign in" ? "problem problem-door" : "problem"} role="alert">
      <p class="problem-title">{problem.title}</p>
      <p>{problem.advice}</p>
      {problem.command && <code class="problem-command">{problem.command}</code>}
      {problem.detail && <p class="problem-detail">{problem.detail}</p>}
      <div class="row">
        {problem.remedy === "sign in" && <Button onClick={askToSignIn}>Sign in</Button>}
        {problem.remedy === "retry" && onRetry && <Button onClick={onRetry}>Try again</Button>}
        {children}
      </div>
    </div>
  );
}
