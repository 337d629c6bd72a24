import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { scaleOf, shownRating } from "./rating-scale.ts";
import type { Studio } from "./use-studio.ts";

/** On narrow screens the answers stand below the form: this shows the first of them beside what is typed, and leads there. */
export function Peek({ studio }: { studio: Studio }) {
  const answer = studio.live.answer.value;
  if (!answer || answer.items.length === 0) return null;
  const { items, rating } = answer;
  const [{ id, title }] = items;
  return (
    <Button class="studio-peek" onClick={() => document.getElementById("studio-results")?.scrollIntoView()}>
      <span class="studio-peek-first">Closest: {title ?? id}</span>
      {rating && <span class="figures soft">{shownRating(rating.mean, scaleOf(rating))}</span>}
      <Icon name="down" />
    </Button>
  );
}
