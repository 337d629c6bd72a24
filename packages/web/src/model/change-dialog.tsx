// Changing the model that answers: it is checked first, what will happen is said, and only then it is done.
import type { ModelInfo } from "@nearkin/client";
import { useEffect, useState } from "preact/hooks";
import { reload } from "../api/loaded.ts";
import { sessionNumber } from "../api/session.ts";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { Notice } from "../design/notice.tsx";
import { ProblemView } from "../design/problem.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { openEngine } from "../engine/engine.ts";
import { type ChangeKind, type ChangeState, consequences, titleOf, verbOf } from "./change.ts";
import { checkChange, makeChange } from "./change-calls.ts";
import "./change-dialog.css";

interface ChangeDialogProps {
  kind: ChangeKind;
  /** The model to change to. */
  to: ModelInfo;
  /** The one that answers now. */
  from: ModelInfo | undefined;
  onClose: () => void;
}

export function ChangeDialog({ kind, to, from, onClose }: ChangeDialogProps) {
  const [state, setState] = useState<ChangeState>({ name: "checking" });
  const id = to.id ?? to.folder;

  const session = sessionNumber.value; // with another key the answer may be another

  useEffect(() => {
    let left = false;
    setState({ name: "checking" });
    void checkChange(id).then((checked) => left || setState(checked));
    return () => {
      left = true;
    };
  }, [id, session]);

  const checkAgain = async () => {
    setState({ name: "checking" });
    setState(await checkChange(id));
  };

  const change = async () => {
    setState({ name: "changing" });
    setState(await makeChange(kind, id));
    // also after a failure: it may have been done although no answer came
    reload("models");
    void openEngine();
  };

  return (
    <Dialog title={titleOf(kind, to)} open onClose={onClose}>
      <div class="stack change" aria-live="polite" aria-busy={state.name === "checking" || state.name === "changing"}>
        <ChangeBody state={state} to={to} from={from} onCheck={checkAgain} />
      </div>
      <footer class="change-buttons">
        <Button onClick={onClose}>{state.name === "checking" || state.name === "ready" ? "Cancel" : "Close"}</Button>
        {(state.name === "ready" || state.name === "changing") && (
          <Button look="primary" disabled={state.name === "changing"} onClick={change}>
            {verbOf(kind)}
          </Button>
        )}
      </footer>
    </Dialog>
  );
}

interface ChangeBodyProps extends Pick<ChangeDialogProps, "to" | "from"> {
  state: ChangeState;
  onCheck: () => void;
}

function ChangeBody({ state, to, from, onCheck }: ChangeBodyProps) {
  switch (state.name) {
    case "checking":
      return (
        <>
          <p>Checking whether {to.folder} can be served. Nothing changes yet.</p>
          <Skeleton lines={3} />
        </>
      );
    case "refused":
      return (
        <Notice tone="caution" title="It cannot be served">
          <ul>
            {state.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
          <p>Train or copy it again. {from ? `${from.folder} goes on answering.` : ""}</p>
        </Notice>
      );
    case "ready":
      return (
        <>
          {state.warnings.length > 0 && (
            <Notice tone="caution" title="Worth knowing">
              <ul>
                {state.warnings.map((warning) => (
                  <li key={warning}>{warning}</li>
                ))}
              </ul>
            </Notice>
          )}
          <p>The model was checked and can be served. If you go on:</p>
          <ul class="change-list">
            {consequences({ to, from, added: state.added }).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </>
      );
    case "changing":
      return (
        <>
          <p>Loading {to.folder}. Requests go on being answered meanwhile.</p>
          <progress class="change-progress" aria-label={`Loading ${to.folder}`} />
        </>
      );
    case "done":
      return (
        <p>
          <strong>{to.folder} answers now.</strong> {from && `You can roll back to ${from.folder} at any time.`}
        </p>
      );
    case "failed":
      return <ProblemView problem={state.problem} onRetry={onCheck} />;
  }
}
