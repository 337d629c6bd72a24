// Cards glide to their new place instead of jumping there: where they are seen is measured before a list changes, and animated from.
import { useLayoutEffect, useRef } from "preact/hooks";

const CALM = 320; // ms

interface Seen {
  readonly left: number;
  readonly top: number;
}

/** For a list whose children carry `data-id`. Call it while rendering: by then the old places can still be measured. */
export function useMovement<List extends HTMLElement>(order: readonly string[]) {
  const list = useRef<List>(null);
  const shown = useRef<string>("");
  const key = order.join("\n");
  const before = key === shown.current ? undefined : placesOf(list.current);
  useLayoutEffect(() => {
    shown.current = key;
    if (before && before.size > 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches)
      glide(list.current, before);
  }, [key]);
  return list;
}

/** Where the children are seen, in the list, also while they still move. */
function placesOf(list: HTMLElement | null): Map<string, Seen> {
  const places = new Map<string, Seen>();
  if (!list) return places;
  const origin = list.getBoundingClientRect();
  for (const child of children(list)) {
    const { left, top } = child.getBoundingClientRect();
    places.set(child.dataset.id ?? "", { left: left - origin.left, top: top - origin.top });
  }
  return places;
}

function glide(list: HTMLElement | null, before: ReadonlyMap<string, Seen>): void {
  if (!list) return;
  const moving = children(list);
  for (const child of moving) for (const animation of child.getAnimations()) animation.cancel();
  const now = placesOf(list);
  for (const child of moving) {
    const id = child.dataset.id ?? "";
    const from = before.get(id);
    const to = now.get(id) as Seen;
    if (from && (from.left !== to.left || from.top !== to.top)) {
      const transform = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
      child.animate([{ transform }, { transform: "none" }], {
        duration: CALM,
        easing: "cubic-bezier(0.2, 0.7, 0.2, 1)",
      });
    } else if (!from) {
      child.animate([{ opacity: 0 }, { opacity: 1 }], { duration: CALM });
    }
  }
}

const children = (list: HTMLElement): HTMLElement[] =>
  Array.from(list.children).filter((child) => child instanceof HTMLElement);
