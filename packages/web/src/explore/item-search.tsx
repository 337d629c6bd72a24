import { useEffect, useRef } from "preact/hooks";
import { navigate } from "../app/router.ts";
import { itemPath } from "../app/routes.ts";
import { type Choice, Combobox } from "../design/combobox.tsx";
import { similarity } from "../engine/engine.ts";
import { inOneLine } from "./describe.ts";
import "./item-search.css";

const PROPOSED = 8; // items
const PATIENCE = 120; // ms between a letter and a question to the server

let typed = 0;

async function find(text: string): Promise<readonly Choice[]> {
  if (text.trim() === "") return [];
  const own = ++typed;
  const by = similarity.peek();
  if (by.place === "server") await new Promise((resolve) => setTimeout(resolve, PATIENCE));
  if (own !== typed) return [];
  const items = await by.search(text, PROPOSED);
  return items.map((item) => ({ id: item.id, name: item.title ?? item.id, note: inOneLine(item) }));
}

/** Finds an item by its title as one types, and goes to it. "/" leads here from anywhere on the screen. */
export function ItemSearch({ large = false }: { large?: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => onSlash(() => input.current?.focus()), []);
  return (
    <search class={large ? "item-search item-search-large" : "item-search"}>
      <Combobox
        label="Search the catalogue"
        labelUnseen
        placeholder="Search by title"
        icon="explore"
        find={find}
        inputRef={input}
        onChoose={({ id }) => {
          input.current?.blur();
          navigate(itemPath(id));
        }}
      >
        <span class="item-search-key" aria-hidden="true">
          /
        </span>
      </Combobox>
    </search>
  );
}

/** Calls back for a "/" that is not typed into something. */
function onSlash(focus: () => void): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    const within = event.target instanceof HTMLElement ? event.target : null;
    if (within?.closest("input:not([type=range], [type=radio]), textarea, select, [contenteditable]")) return;
    event.preventDefault();
    focus();
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}
