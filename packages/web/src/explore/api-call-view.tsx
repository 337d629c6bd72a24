import { useRef, useState } from "preact/hooks";
import { signedIn } from "../api/session.ts";
import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { curlOf } from "./api-call.ts";
import type { Chosen } from "./tuning.ts";
import "./api-call-view.css";

/** The list on the screen, as it is asked for over HTTP. */
export function ApiCall({ item, chosen }: { item: string; chosen: Chosen }) {
  return <CallView call={curlOf(item, chosen, { origin: location.origin, keyed: signedIn.value })} />;
}

/** A command for a terminal, folded until one wants it. */
export function CallView({ call }: { call: string }) {
  const [copied, setCopied] = useState<string | undefined>(undefined);
  const shown = useRef<HTMLElement>(null);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(call);
      setCopied(call);
    } catch {
      if (shown.current) getSelection()?.selectAllChildren(shown.current); // no clipboard without https: it is there to be taken
    }
  }
  return (
    <details class="api-call">
      <summary>As an API call</summary>
      <div class="api-call-body">
        <pre>
          <code ref={shown}>{call}</code>
        </pre>
        <Button onClick={() => void copy()}>
          <Icon name={copied === call ? "check" : "copy"} />
          {copied === call ? "Copied" : "Copy"}
        </Button>
      </div>
    </details>
  );
}
