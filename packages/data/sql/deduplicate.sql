-- One interaction per user and item: the last one in time wins; at the same second the higher rating does, so that the order of
-- timestamped rows changes nothing.
--
-- in:  indexed_interactions, suspects (user_index): every user who may have met an item twice. All users would do; the fewer, the faster
-- out: duplicated, and the view interactions (user_index, item_index, rating, time)
CREATE TABLE duplicated AS
SELECT indexed.user_index, indexed.item_index, MAX(indexed.time) AS time, COUNT(*) AS copies
FROM indexed_interactions AS indexed
JOIN suspects ON suspects.user_index = indexed.user_index
GROUP BY indexed.user_index, indexed.item_index
HAVING COUNT(*) > 1;

-- Duplicates are few as a rule: the big table is not rewritten for their sake.
CREATE VIEW interactions AS
SELECT indexed.user_index, indexed.item_index, indexed.rating, indexed.time
FROM indexed_interactions AS indexed
LEFT JOIN duplicated
  ON duplicated.user_index = indexed.user_index AND duplicated.item_index = indexed.item_index
WHERE duplicated.user_index IS NULL
UNION ALL
SELECT duplicated.user_index, duplicated.item_index, MAX(indexed.rating) AS rating, duplicated.time
FROM duplicated
JOIN indexed_interactions AS indexed
  ON indexed.user_index = duplicated.user_index
  AND indexed.item_index = duplicated.item_index
  AND indexed.time = duplicated.time
GROUP BY duplicated.user_index, duplicated.item_index, duplicated.time;
