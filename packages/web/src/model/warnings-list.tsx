import type { Training } from "@nearkin/client";
import { Notice } from "../design/notice.tsx";
import { adviceOn, placeOf } from "./warnings.ts";

/** What training warned about, each with what to do. */
export function WarningsList({ warnings }: { warnings: Training["warnings"] }) {
  return (
    <>
      {warnings.map((warning) => {
        const { title, meaning, remedy } = adviceOn(warning);
        return (
          <Notice tone="caution" title={title} key={`${warning.code} ${warning.text}`}>
            <p>
              {meaning} {remedy}
            </p>
            {meaning !== warning.text && (
              <p class="soft">
                Training said{placeOf(warning) && ` (${placeOf(warning)})`}: {warning.text}.
              </p>
            )}
          </Notice>
        );
      })}
    </>
  );
}
