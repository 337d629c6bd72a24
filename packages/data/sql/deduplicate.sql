-- One interaction per user and item, of those before {timeLimit}: the last one in time wins; at the same second the higher rating does, so that
-- the order of timestamped rows changes nothing.
--
-- Run twice. First for all interactions. Then, as `_before`, for those before the cut T: what a user did again at or after T must not take
-- away, or change, what training sees (EV1).
--
-- in:  indexed_interactions, suspects (user_index): every user who may have met an item twice. All users would do; the fewer, the faster
-- out: duplicated{before}, and the view interactions{before} (user_index, item_index, rating, time)
CREATE TABLE duplicated{before} AS
SELECT indexed.user_index, indexed.item_index, MAX(indexed.time) AS time, COUNT(*) AS copies
FROM indexed_interactions AS indexed
JOIN suspects ON suspects.user_index = indexed.user_index
WHERE indexed.time < {timeLimit}
GROUP BY indexed.user_index, indexed.item_index
HAVING COUNT(*) > 1;

-- Duplicates are few as a rule: the big table is not rewritten for their sake.
CREATE VIEW interactions{before} AS
SELECT indexed.user_index, indexed.item_index, indexed.rating, indexed.time
FROM indexed_interactions AS indexed
LEFT JOIN duplicated{before} AS several
  ON several.user_index = indexed.user_index AND several.item_index = indexed.item_index
WHERE several.user_index IS NULL
  AND indexed.time < {timeLimit}
UNION ALL
SELECT several.user_index, several.item_index, MAX(indexed.rating) AS rating, several.time
FROM duplicated{before} AS several
JOIN indexed_interactions AS indexed
  ON indexed.user_index = several.user_index
  AND indexed.item_index = several.item_index
  AND indexed.time = several.time
GROUP BY several.user_index, several.item_index, several.time;
