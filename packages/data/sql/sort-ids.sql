-- The ids of users and items, each once, in the order of their bytes. They are numbered by where they stand: no engine has to bring them to
-- one place for it.
--
-- in:  checked_interactions, checked_items
-- out: user_ids (user_id), item_ids (item_id, described), sorted
CREATE TABLE user_ids AS
SELECT user_id
FROM checked_interactions
WHERE problem IS NULL
GROUP BY user_id
ORDER BY user_id;

-- An item belongs to the catalogue if a file describes it or somebody interacted with it.
CREATE TABLE item_ids AS
SELECT item_id, MAX(described) = 1 AS described
FROM (
  SELECT item_id, 0 AS described FROM checked_interactions WHERE problem IS NULL GROUP BY item_id
  UNION ALL
  SELECT item_id, 1 AS described FROM checked_items WHERE problem IS NULL
) AS ids
GROUP BY item_id
ORDER BY item_id;
