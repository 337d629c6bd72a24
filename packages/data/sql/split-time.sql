-- EV1: T is the 95th percentile (1 − fraction) of the items' first interactions; items first seen at or after T are the cold test
-- items, and every event at or after T is dropped, whatever its item. EV3: the previous 5 % of the remaining items are for
-- validation, by the same rule; their events are removed, so that they play cold items.
--
-- in:  first_seen, users
-- out: item_role, user_role, cut
CREATE TABLE cut AS
SELECT MIN(first_seen) AS time_limit
FROM (
  SELECT
    first_seen,
    ROW_NUMBER() OVER (ORDER BY first_seen, item_index) - 1 AS position,
    COUNT(*) OVER () AS total
  FROM first_seen
) AS ordered
WHERE position >= FLOOR((1 - {fraction}) * total);

CREATE TABLE item_role AS
WITH earlier AS (
  SELECT
    item_index, first_seen,
    ROW_NUMBER() OVER (ORDER BY first_seen, item_index) - 1 AS position,
    COUNT(*) OVER () AS total
  FROM first_seen
  WHERE first_seen < (SELECT time_limit FROM cut)
),
validation AS (
  SELECT MIN(first_seen) AS since FROM earlier WHERE position >= FLOOR((1 - {fraction}) * total)
)
SELECT item_index, CASE WHEN first_seen >= (SELECT since FROM validation) THEN 'validation' ELSE 'train' END AS role
FROM earlier
UNION ALL
SELECT item_index, 'test' AS role FROM first_seen WHERE first_seen >= (SELECT time_limit FROM cut);

CREATE TABLE user_role AS SELECT user_index, 'train' AS role FROM users;
