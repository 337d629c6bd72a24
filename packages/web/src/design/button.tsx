import type { ComponentProps } from "preact";
import "./button.css";

interface ButtonProps extends ComponentProps<"button"> {
  /** One `primary` on a screen: what most people came to do. @default "quiet" */
  look?: "primary" | "quiet" | "plain" | "danger";
}

/** A button that submits nothing unless it says so. */
export function Button({ look = "quiet", type = "button", class: more, ...rest }: ButtonProps) {
  return <button {...rest} type={type} class={`button button-${look} ${more ?? ""}`} />;
}
