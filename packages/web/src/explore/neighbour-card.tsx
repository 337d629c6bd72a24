import { useId, useState } from "preact/hooks";
import { itemPath } from "../app/routes.ts";
import { Bar } from "../design/bar.tsx";
import { Table } from "../design/table.tsx";
import { channelColour, isForeseen } from "../engine/active-model.ts";
import type { ExplainedItem } from "../engine/similarity.ts";
import { inOneLine } from "./describe.ts";
import { holdsBack, type Move, mostRaisedBy, notKnown, segmentsOf, shown, spoken } from "./explanation.ts";
import { itemFacts } from "./facts.ts";
import "./neighbour-card.css";

interface NeighbourCardProps {
  item: ExplainedItem;
  /** The distance of the whole width of the bar, the same for all cards. */
  full: number;
  diversity: number;
  /** Against the list before anything was chosen; undefined where nothing was. */
  move: Move | undefined;
  /** What the address has chosen, to be kept on the next item's page. */
  search: string;
  /** Channels without a value of which the screen has spoken already. @default none */
  said?: readonly string[];
}

/** A neighbour: its place, what it is, how far away, and what makes the distance. */
export function NeighbourCard({ item, full, diversity, move, search, said = [] }: NeighbourCardProps) {
  const { id, title, rank, distance, contributions } = item;
  const held = holdsBack(item, diversity);
  const raised = mostRaisedBy(item);
  const unknown = notKnown(contributions).filter((channel) => !said.includes(channel) && !isForeseen(channel));
  const facts = itemFacts(id).value;
  const [open, setOpen] = useState(false);
  const [pointed, setPointed] = useState(false); // the numbers of one card are drawn, not of all: lists are drawn many times a second
  const table = useId();
  return (
    <li class="neighbour" data-id={id}>
      <div class="neighbour-rank">
        <span class="figures">{rank}</span>
        {move && <MoveBadge move={move} />}
      </div>
      <h3>
        <a class="few-lines" href={itemPath(id) + search}>
          {title ?? id}
        </a>
      </h3>
      <p class="neighbour-facts soft small">{facts.state === "ready" ? inOneLine(facts.value) : ""}</p>
      <button
        type="button"
        class="reasons"
        aria-label={`${spoken(item)}. Numbers`}
        aria-expanded={open}
        aria-controls={table}
        onClick={() => setOpen(!open)}
        onPointerEnter={() => setPointed(true)}
        onPointerLeave={() => setPointed(false)}
        onFocus={(event) => setPointed(event.currentTarget.matches(":focus-visible"))}
        onBlur={() => setPointed(false)}
      >
        <span class="figures soft small">{shown(distance)}</span>
        <Bar segments={segmentsOf(contributions)} full={full} />
        {pointed && !open && <Tip contributions={contributions} />}
      </button>
      <p class="neighbour-words small">
        {held && (
          <span>
            {diversity > 0 ? `By score #${item.scoreRank}; would be ` : "Would be "}
            <b>#{held.rank}</b> with the same {held.channel}
          </span>
        )}
        {raised.length > 0 && <span>Raised by {raised.map(({ title: met }) => met).join(" and ")}, met lately</span>}
        {unknown.length > 0 && <span class="soft">{unknown.join(", ")} not known: an average stands in</span>}
      </p>
      <div class="neighbour-numbers" id={table}>
        {open && <Numbers item={item} />}
      </div>
    </li>
  );
}

/** The numbers of the bar, where one points at it. */
function Tip({ contributions }: Pick<ExplainedItem, "contributions">) {
  return (
    <span class="tip">
      {contributions.map(({ channel, contribution, share }) => (
        <span key={channel} class="tip-row">
          <Swatch channel={channel} />
          <span>{channel}</span>
          <b class="figures">{shown(contribution)}</b>
          <span class="figures soft">{share === null ? "" : `${Math.round(100 * share)} %`}</span>
        </span>
      ))}
    </span>
  );
}

/** All of them, where one opens it. */
function Numbers({ item }: { item: ExplainedItem }) {
  const { title, id, contributions, raisedBy = [] } = item;
  return (
    <>
      <Table
        caption={`What makes the distance to ${title ?? id}`}
        quiet
        rows={contributions}
        keyOf={({ channel }) => channel}
        columns={[
          {
            title: "Channel",
            cell: ({ channel }) => (
              <span class="channel-name">
                <Swatch channel={channel} />
                {channel}
              </span>
            ),
          },
          { title: "Weight", numeric: true, cell: ({ weight }) => shown(weight) },
          { title: "× distance", numeric: true, cell: ({ distance }) => shown(distance) },
          { title: "= part", numeric: true, cell: ({ contribution }) => shown(contribution) },
          { title: "Rank if equal", numeric: true, cell: ({ rankWithout }) => `#${rankWithout}` },
        ]}
      />
      {raisedBy.length > 0 && (
        <Table
          caption={`What was met lately, and how much each adds to the score of ${title ?? id}`}
          quiet
          rows={raisedBy}
          keyOf={({ id: met }) => met}
          columns={[
            { title: "Met lately", cell: ({ title: met }) => met },
            { title: "Adds", numeric: true, cell: ({ lift }) => shown(lift) },
          ]}
        />
      )}
    </>
  );
}

export function Swatch({ channel }: { channel: string }) {
  return <span class="swatch" style={{ "--colour": channelColour(channel) }} aria-hidden="true" />;
}

export function MoveBadge({ move }: { move: Move }) {
  switch (move.kind) {
    case "same":
      return null;
    case "new":
      return <span class="move">new</span>;
    case "up":
      return (
        <span class="move move-up">
          <span aria-hidden="true">▲{move.by}</span>
          <span class="unseen">up {move.by}</span>
        </span>
      );
    case "down":
      return (
        <span class="move">
          <span aria-hidden="true">▼{move.by}</span>
          <span class="unseen">down {move.by}</span>
        </span>
      );
  }
}
