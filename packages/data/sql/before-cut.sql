-- The interactions as they were known just before the cut: one per user and item, the last one in time before T. What a user did again at or
-- after T must not take away, or change, what training sees (EV1). Without a cut they are all interactions.
--
-- in:  indexed_interactions, suspects; T = {timeLimit}
-- out: duplicated_before, and the view interactions_before (user_index, item_index, rating, time)
CREATE TABLE duplicated_before AS
SELECT indexed.user_index, indexed.item_index, MAX(indexed.time) AS time
FROM indexed_interactions AS indexed
JOIN suspects ON suspects.user_index = indexed.user_index
WHERE indexed.time < {timeLimit}
GROUP BY indexed.user_index, indexed.item_index
HAVING COUNT(*) > 1;

CREATE VIEW interactions_before AS
SELECT indexed.user_index, indexed.item_index, indexed.rating, indexed.time
FROM indexed_interactions AS indexed
LEFT JOIN duplicated_before
  ON duplicated_before.user_index = indexed.user_index AND duplicated_before.item_index = indexed.item_index
WHERE duplicated_before.user_index IS NULL
  AND indexed.time < {timeLimit}
UNION ALL
SELECT duplicated_before.user_index, duplicated_before.item_index, MAX(indexed.rating) AS rating, duplicated_before.time
FROM duplicated_before
JOIN indexed_interactions AS indexed
  ON indexed.user_index = duplicated_before.user_index
  AND indexed.item_index = duplicated_before.item_index
  AND indexed.time = duplicated_before.time
GROUP BY duplicated_before.user_index, duplicated_before.item_index, duplicated_before.time;
