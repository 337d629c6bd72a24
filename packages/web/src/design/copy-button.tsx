import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

const SHOWN = 2000; // ms that it says so

/** Copies a text, and says that it did, or that the browser refused. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [outcome, setOutcome] = useState<"copied" | "refused" | undefined>(undefined);
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    navigator.clipboard?.writeText(text).then(
      () => setOutcome("copied"),
      () => setOutcome("refused"),
    ) ?? setOutcome("refused");
  return (
    <>
      <Button look="plain" aria-label={label} title={label} onClick={copy}>
        <Icon name={outcome === "copied" ? "check" : "copy"} />
      </Button>
      <span class="unseen" aria-live="polite">
        {outcome === "copied" ? "Copied" : outcome === "refused" ? "The browser does not allow copying here" : ""}
      </span>
    </>
  );
}
