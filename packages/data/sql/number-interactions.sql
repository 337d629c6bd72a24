-- The usable interactions with numbers for ids. Without timestamps the row's number is the time.
--
-- in:  numbered_interactions (checked_interactions with row_number), users, items
-- out: indexed_interactions (user_index, item_index, rating, time)
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
