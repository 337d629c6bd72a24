-- EV10: the events of test and validation users, in time order, ties by item: the earliest {support} are support, the later ones queries.
--
-- in:  interactions, user_role
-- out: truth_users (role, user_index, item_index, rating, time, part)
CREATE TABLE truth_users AS
SELECT
  role, user_index, item_index, rating, time,
  CASE WHEN position < FLOOR({support} * total) THEN 'support' ELSE 'query' END AS part
FROM (
  SELECT
    user_role.role, interactions.user_index, interactions.item_index, interactions.rating, interactions.time,
    ROW_NUMBER() OVER (PARTITION BY interactions.user_index ORDER BY interactions.time, interactions.item_index) - 1 AS position,
    COUNT(*) OVER (PARTITION BY interactions.user_index) AS total
  FROM interactions
  JOIN user_role ON user_role.user_index = interactions.user_index AND user_role.role <> 'train'
) AS ordered
ORDER BY role, user_index, time, item_index;
