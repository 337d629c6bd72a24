// What became of recommendations: shown, clicked, …. Of one user, an id counts once; without ids, one recommendation, item and action.
import { type ArrivalClock, type ArrivalRow, type ArrivalTable, arrivalWriter } from "./arrivals.ts";
import { checkId, checkPage, checkWhole } from "./checks.ts";
import type { SqlDatabase, SqlRow } from "./database.ts";
import { userQuota } from "./quota.ts";
import { keyOf, LIVE_FEEDBACK } from "./rows.ts";

export interface NewFeedback {
  /** The caller's own name for it. @default made of what it says */
  id?: string;
  recommendation: string;
  user: string | null;
  item: string;
  action: string;
  /** The place that it was shown at. @default null */
  position?: number | null;
  /** Milliseconds since 1970. @default the time of arrival */
  time?: number;
  /** The model that recommended it. */
  model: string;
}

export interface StoredFeedback extends Required<Omit<NewFeedback, "id">> {
  /** Its place in the order of arrival, from 1, with gaps. */
  arrival: number;
}

export interface FeedbackCount {
  model: string;
  action: string;
  count: number;
}

export interface FeedbackStore {
  /** All of it or none. Throws `UserQuotaError` if a user would have more than `eventsPerUser`. */
  add(feedback: readonly NewFeedback[]): Promise<{ accepted: number; duplicates: number }>;
  /** How much there is of a user. */
  countOf(user: string): Promise<number>;
  /** By model and action, in that order. */
  counts(): Promise<FeedbackCount[]>;
  /** All feedback in the order of arrival, behind the arrival number `after`. An empty page is the end. */
  page(options: { after?: number; limit: number }): Promise<StoredFeedback[]>;
}

const FEEDBACK: ArrivalTable = {
  name: "feedback",
  columns: {
    feedback_key: "TEXT",
    recommendation: "TEXT",
    user_id: "TEXT",
    item_id: "TEXT",
    action: "TEXT",
    position: "BIGINT",
    time: "BIGINT",
    model_id: "TEXT",
  },
};
const COLUMNS = `arrival, ${Object.keys(FEEDBACK.columns).join(", ")}`;

export function feedbackStore(
  database: SqlDatabase,
  { now, quota }: { now: ArrivalClock; quota: number },
): FeedbackStore {
  const write = arrivalWriter(database, FEEDBACK, userQuota(database, FEEDBACK, quota));
  return {
    async add(feedback) {
      const arrived = now();
      const accepted = await write(feedback.map((one) => feedbackRow(one, arrived)));
      return { accepted: accepted.length, duplicates: feedback.length - accepted.length };
    },

    async countOf(user) {
      checkId("a user", user);
      const sql = "SELECT entries FROM nearkin.feedback_users WHERE user_id = $1";
      const [[row]] = await database.run([{ sql, values: [user] }]);
      return row ? (row.entries as number) : 0;
    },

    async counts() {
      const sql = `SELECT model_id, action, COUNT(*) AS count FROM nearkin.feedback GROUP BY model_id, action ORDER BY model_id, action`;
      const [rows] = await database.run([{ sql }]);
      return rows.map(({ model_id, action, count }) => ({ model: model_id, action, count }) as FeedbackCount);
    },

    async page({ after = 0, limit }) {
      checkPage({ after, limit });
      const sql = `SELECT ${COLUMNS} FROM nearkin.feedback WHERE arrival > $1 AND ${LIVE_FEEDBACK} ORDER BY arrival LIMIT $2`;
      return (await database.run([{ sql, values: [after, limit] }]))[0].map(readFeedback);
    },
  };
}

function feedbackRow(feedback: NewFeedback, arrived: number | null): ArrivalRow {
  const { id, recommendation, user, item, action, position = null, time = arrived, model } = feedback;
  if (id !== undefined) checkId("a feedback's id", id);
  checkId("a recommendation", recommendation);
  if (user !== null) checkId("a user", user);
  checkId("an item", item);
  checkId("an action", action);
  if (position !== null) checkWhole("a position", position);
  if (time !== null) checkWhole("a feedback's time", time);
  checkId("a model", model);
  // with the user in it: who knows the id of another's list must not be able to say something first
  const key = id === undefined ? keyOf("content", user, recommendation, item, action) : keyOf("id", user, id);
  return [key, recommendation, user, item, action, position, time, model];
}

function readFeedback(row: SqlRow): StoredFeedback {
  return {
    recommendation: row.recommendation as string,
    user: row.user_id as string | null,
    item: row.item_id as string,
    action: row.action as string,
    position: row.position as number | null,
    time: row.time as number,
    model: row.model_id as string,
    arrival: row.arrival as number,
  };
}
