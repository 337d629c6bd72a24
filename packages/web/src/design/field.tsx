import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import "./field.css";

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  /** What is wrong with the value. */
  error?: string | undefined;
  /** The control, which takes the id and points to hint and error. */
  children: (control: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": boolean;
  }) => ComponentChildren;
}

/** A control with its label, a hint, and what is wrong with it. The control takes the class `input`. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": described, "aria-invalid": error !== undefined })}
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
