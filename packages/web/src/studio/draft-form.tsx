import type { MissingChannel } from "@nearkin/client";
import { Button } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { Field } from "../design/field.tsx";
import { capital, listed } from "../design/numbers.ts";
import { blank, isBlank, type Typed, typedIn } from "./draft.ts";
import type { StudioField } from "./form.ts";
import { ListField } from "./list-field.tsx";
import type { Studio } from "./use-studio.ts";

/** One control for each channel that can be typed, after the title. */
export function DraftForm({ studio }: { studio: Studio }) {
  const { form, draft, refusal, lost, live } = studio;
  const missing = live.answer.value?.missing ?? [];
  return (
    <Card label="The draft" class="draft-form">
      <header class="draft-head">
        <h2>The draft</h2>
        <Button look="plain" disabled={isBlank(draft.value)} onClick={() => studio.start(blank)}>
          Clear
        </Button>
      </header>
      <Field label="Title" hint="A name for it. No distance depends on it.">
        {(control) => (
          <input
            {...control}
            class="input"
            type="text"
            autocomplete="off"
            maxLength={2000}
            value={draft.value.title}
            onInput={(event) => studio.entitle(event.currentTarget.value)}
          />
        )}
      </Field>
      {form.fields.map((field) => (
        <FieldOf
          key={field.channel}
          field={field}
          typed={typedIn(draft.value, field.channel)}
          error={refusal.value?.channel === field.channel ? refusal.value.message : undefined}
          notice={noticeOf(field.channel, missing, lost.value)}
          onType={(typed) => studio.type(field.channel, typed)}
        />
      ))}
      {form.following.length > 0 && (
        <p class="soft small">
          {capital(listed(form.following))} {form.following.length === 1 ? "follows" : "follow"} from the other fields.
        </p>
      )}
      {form.untypable.length > 0 && (
        <p class="soft small">{capital(listed(form.untypable))} cannot be typed: an average stands in.</p>
      )}
    </Card>
  );
}

/** What to know about a field that has a value, and yet counts for nothing. */
function noticeOf(channel: string, missing: readonly MissingChannel[], lost: readonly string[]): string | undefined {
  if (lost.includes(channel))
    return "This text was too long for the address, and kept where the link was made. Type it anew.";
  const reason = missing.find((one) => one.channel === channel)?.reason;
  return reason === undefined || reason === "not given" ? undefined : `Counts for nothing: ${reason}.`;
}

interface FieldOfProps {
  field: StudioField;
  typed: Typed | undefined;
  error: string | undefined;
  notice: string | undefined;
  onType: (typed: Typed) => void;
}

function FieldOf({ field, typed, error, notice, onType }: FieldOfProps) {
  const { label, kind } = field;
  if (kind === "list") {
    const words = typed === undefined ? [] : typeof typed === "string" ? [typed] : typed;
    return (
      <ListField label={label} terms={field.terms} words={words} error={error} notice={notice} onChange={onType} />
    );
  }
  const text = typeof typed === "string" ? typed : "";
  if (kind === "text") {
    return (
      <Field label={label} error={error} hint={notice}>
        {(control) => (
          <textarea
            {...control}
            class="input"
            rows={5}
            maxLength={100_000}
            value={text}
            onInput={(event) => onType(event.currentTarget.value)}
          />
        )}
      </Field>
    );
  }
  return (
    <Field label={label} error={error} hint={notice ?? hintOf(field)}>
      {(control) => (
        <input
          {...control}
          class="input"
          type="text"
          inputMode={kind === "number" ? "decimal" : "text"}
          autocomplete="off"
          placeholder={kind === "date" ? "1999 or 1999-03-31" : kind === "place" ? "52.5, 13.4" : undefined}
          value={text}
          onInput={(event) => onType(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function hintOf(field: Extract<StudioField, { kind: "number" | "date" | "place" }>): string | undefined {
  if (field.kind === "place") return "Degrees north, then east.";
  return field.range && `Training had ${field.range[0]} to ${field.range[1]}.`;
}
