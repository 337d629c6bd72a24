// How to make it all again.
import { html } from "../../html.ts";
import { facts, type Section } from "../../section.ts";
import { commandLines } from "../../sections/reproduce.ts";
import type { UsersReport } from "../users-report.ts";

export function reproduceSection({ users, reproduce }: UsersReport): Section {
  return {
    id: "reproduce",
    title: "To reproduce",
    body: html`${facts([["Dataset", html`<code class="hash">${users.dataset.hash}</code>`, "wide"]])}
${commandLines(reproduce, "train.yaml: the whole training configuration")}`,
  };
}
