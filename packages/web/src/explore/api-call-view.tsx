import { useState } from "preact/hooks";
import { signedIn } from "../api/session.ts";
import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { curlOf } from "./api-call.ts";
import type { Chosen } from "./tuning.ts";
import "./api-call-view.css";

/** The list on the screen, as it is asked for over HTTP. */
export function ApiCall({ item, chosen }: { item: string; chosen: Chosen }) {
  const [copied, setCopied] = useState<string | undefined>(undefined);
  const call = curlOf(item, chosen, { origin: location.origin, keyed: signedIn.value });
  return (
    <details class="api-call">
      <summary>As an API call</summary>
      <div class="api-call-body">
        <pre>
          <code>{call}</code>
        </pre>
        <Button
          onClick={async () => {
            await navigator.clipboard.writeText(call);
            setCopied(call);
          }}
        >
          <Icon name={copied === call ? "check" : "copy"} />
          {copied === call ? "Copied" : "Copy"}
        </Button>
      </div>
    </details>
  );
}
