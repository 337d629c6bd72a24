import { ChartFrame } from "../design/chart-frame.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { Table } from "../design/table.tsx";
import { channelColour } from "../engine/active-model.ts";
import { Swatch } from "../explore/neighbour-card.tsx";
import { learned, type Outcome } from "./learning.ts";
import { axisEnd, type ChannelShare, sharesOf } from "./shares.ts";
import { countsWhat, differenceFrom, percent, standingOf } from "./words.ts";
import "./weights-view.css";

/** The user's weights as they move: from everybody's to their own, with how sure they are. */
export function WeightsView() {
  const known = learned.value;
  if (!known) return <Skeleton height="27rem" />;
  const { title, text } = standingOf(known);
  const isOwn = known.metric.kept === null;
  const shares = sharesOf(known);
  return (
    <div class="weights">
      <ChartFrame
        title="Your weights"
        unit="Share of the distance between two typical items"
        table={<WeightsTable known={known} shares={shares} />}
      >
        <Chart shares={shares} isOwn={isOwn} />
      </ChartFrame>
      <div class="weights-words small">
        <p>
          <b>{title}.</b> {text}
        </p>
        {isOwn && <p>{differenceFrom(shares)}</p>}
        {isOwn && <Popularity known={known} />}
        {isOwn && (
          <p class="soft">
            {countsWhat(known.target)}{" "}
            <span class="figures">Fitted on this device in {Math.max(1, Math.round(known.milliseconds))} ms.</span>
          </p>
        )}
      </div>
    </div>
  );
}

function Chart({ shares, isOwn }: { shares: readonly ChannelShare[]; isOwn: boolean }) {
  const end = axisEnd(shares);
  const at = (share: number) => String(Math.min(1, Math.max(0, share / end)));
  return (
    <div>
      <ul class="weights-rows">
        {shares.map(({ channel, base, own, deviation, people }) => (
          <li key={channel} class="weights-row" style={{ "--colour": channelColour(channel) }}>
            <span class="weights-name small">
              <Swatch channel={channel} />
              {channel}
            </span>
            <span class="weights-track" aria-hidden="true">
              <span
                class="weights-people"
                style={{ "--from": at(people.middle - people.deviation), "--to": at(people.middle + people.deviation) }}
              />
              {isOwn && (
                <span class="weights-sure" style={{ "--from": at(own - deviation), "--to": at(own + deviation) }} />
              )}
              <span class="weights-base" style={{ "--at": at(base) }} />
              {isOwn && <span class="weights-own" style={{ "--at": at(own) }} />}
            </span>
            <span class="weights-figures small figures">
              {isOwn ? (
                <>
                  <span class="soft">{percent(base)} →</span> <b>{percent(own)}</b>
                  <span class="soft"> ± {Math.round(100 * deviation)}</span>
                </>
              ) : (
                percent(base)
              )}
            </span>
          </li>
        ))}
      </ul>
      <p class="weights-legend small soft" aria-hidden="true">
        <span>
          <span class="weights-key weights-key-base" /> everybody
        </span>
        {isOwn && (
          <span>
            <span class="weights-key weights-key-own" /> you ± one deviation
          </span>
        )}
        <span>
          <span class="weights-key weights-key-people" /> where two in three people are
        </span>
      </p>
    </div>
  );
}

function WeightsTable({ known, shares }: { known: Outcome; shares: readonly ChannelShare[] }) {
  const { base, metric, own } = known;
  const shown = (value: number) => value.toFixed(3);
  return (
    <Table
      caption="Weights by channel, as the API takes them"
      rows={shares}
      keyOf={({ channel }) => channel}
      columns={[
        { title: "Channel", cell: ({ channel }) => channel },
        { title: "Everybody", numeric: true, cell: ({ channel }) => shown(base[channel]) },
        { title: "You", numeric: true, cell: ({ channel }) => shown(metric.weights[channel]) },
        {
          title: "±",
          numeric: true,
          cell: ({ channel }) => (metric.kept === null ? shown(own.deviations[channel]) : ""),
        },
        { title: "Share", numeric: true, cell: (one) => percent(one.own) },
      ]}
    />
  );
}

/** β, where the model's users have one. */
function Popularity({ known: { metric, target } }: { known: Outcome }) {
  if (target !== "choice") return null;
  const { popularity } = metric;
  const words =
    Math.abs(popularity) < 0.05
      ? "Whether something is popular makes no difference to your lists."
      : popularity > 0
        ? "What is popular comes somewhat earlier in your lists."
        : "What is popular comes somewhat later in your lists.";
  return (
    <p title="How many e-folds of popularity a unit of score is worth">
      {words} <span class="soft figures">β {popularity.toFixed(2).replace("-", "−")}</span>
    </p>
  );
}
