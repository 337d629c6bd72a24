-- Ids become dense numbers, in the order of the ids' bytes. Ids stay strings to the outside.
--
-- in:  checked_interactions, checked_items
-- out: users (user_index, user_id), items (item_index, item_id, described)
CREATE TABLE users AS
SELECT CAST(ROW_NUMBER() OVER (ORDER BY user_id) - 1 AS INTEGER) AS user_index, user_id
FROM (SELECT user_id FROM checked_interactions WHERE problem IS NULL GROUP BY user_id) AS ids;

-- An item belongs to the catalogue if a file describes it or somebody interacted with it.
CREATE TABLE items AS
SELECT
  CAST(ROW_NUMBER() OVER (ORDER BY item_id) - 1 AS INTEGER) AS item_index,
  item_id,
  MAX(described) = 1 AS described
FROM (
  SELECT item_id, 0 AS described FROM checked_interactions WHERE problem IS NULL GROUP BY item_id
  UNION ALL
  SELECT item_id, 1 AS described FROM checked_items WHERE problem IS NULL
) AS ids
GROUP BY item_id;
