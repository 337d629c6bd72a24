-- One interaction per user and item: the last one in time wins; at the same second the higher rating does, so that the order of
-- timestamped rows changes nothing. Without timestamps the row's number is the time, and the last row wins.
--
-- in:  numbered_interactions (checked_interactions with row_number), users, items
-- out: indexed_interactions, duplicated, and the view interactions (user_index, item_index, rating, time)
CREATE TABLE indexed_interactions AS
SELECT
  users.user_index,
  items.item_index,
  checked.rating,
  CASE WHEN {hasTime} THEN checked.time ELSE checked.row_number END AS time
FROM numbered_interactions AS checked
JOIN users ON users.user_id = checked.user_id
JOIN items ON items.item_id = checked.item_id
WHERE checked.problem IS NULL;

-- Few as a rule: the big table is not rewritten for their sake.
CREATE TABLE duplicated AS
SELECT user_index, item_index, MAX(time) AS time, COUNT(*) AS copies
FROM indexed_interactions
GROUP BY user_index, item_index
HAVING COUNT(*) > 1;

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
