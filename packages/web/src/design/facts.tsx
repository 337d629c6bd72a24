import type { ComponentChildren } from "preact";
import "./facts.css";

export interface Fact {
  term: string;
  /** Beside the term, as formulas have it. */
  symbol?: string;
  value?: ComponentChildren;
  /** What it means, below. */
  meaning?: ComponentChildren;
}

/** Terms and what they are, side by side as far as there is room. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class={facts.some(({ meaning }) => meaning) ? "facts" : "facts facts-short"}>
      {facts.map(({ term, symbol, value, meaning }) => (
        <div key={term}>
          <dt>
            {term}
            {symbol && <span class="facts-symbol"> {symbol}</span>}
          </dt>
          {value && <dd class="facts-value">{value}</dd>}
          {meaning && <dd class="facts-meaning">{meaning}</dd>}
        </div>
      ))}
    </dl>
  );
}
