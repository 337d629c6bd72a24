-- Positive pairs for stage 1: an anchor and one of the next κ = {window} items of the same history. A user with more pairs than the cap
-- gives an evenly spaced sample of them, which starts at a place decided by the md5 of seed and user.
--
-- Slot j of a history of n events is the pair (event j div κ, the one j mod κ + 1 steps later); of the n·κ slots, `kept` are taken at
-- equal distances: j = (k·n·κ + offset) div kept, k = 0 … kept − 1. Slots that reach past the end are no pairs.
--
-- in:  history, user_statistics, users; {perUser} pairs of a user at most; the counter gives a row of `capped` the numbers k = 0 … kept − 1
-- out: pairs (user_index, anchor, positive), ordered by user, event, step
CREATE TABLE pairs AS
WITH capped AS (
  SELECT user_index, first_event, n, slots, LEAST(slots, {perUser}) AS kept, md5_number(CONCAT('{seed}:pairs:', user_id)) % slots AS start
  FROM (
    SELECT
      user_statistics.user_index, user_statistics.first_event, users.user_id,
      CAST(user_statistics.events AS BIGINT) AS n,
      CAST(user_statistics.events AS BIGINT) * {window} AS slots
    FROM user_statistics
    JOIN users ON users.user_index = user_statistics.user_index
  ) AS sized
),
taken AS (
  SELECT user_index, first_event, n, CAST(FLOOR((counter.k * slots + start) / kept) AS BIGINT) AS slot
  FROM capped
  {counter}
),
placed AS (
  SELECT
    user_index, n, first_event,
    CAST(FLOOR(slot / {window}) AS BIGINT) AS position,
    slot % {window} + 1 AS step
  FROM taken
)
SELECT placed.user_index, anchor.item_index AS anchor, positive.item_index AS positive
FROM placed
JOIN history AS anchor
  ON anchor.user_index = placed.user_index AND anchor.event = placed.first_event + placed.position
JOIN history AS positive
  ON positive.user_index = placed.user_index AND positive.event = placed.first_event + placed.position + placed.step
ORDER BY placed.user_index, placed.position, placed.step;
