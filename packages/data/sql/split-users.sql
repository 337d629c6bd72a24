-- EV10: test users are drawn by the md5 of seed and id among those with 20–199 events, and as many validation users after them; at
-- most a tenth of the eligible users each. None of their events is in any training table. Among the items of the remaining users
-- the newest 5 % play cold items for validation (EV3).
--
-- in:  interactions, indexed_interactions, users
-- out: item_role, user_role, cut
CREATE TABLE cut AS SELECT CAST(9223372036854775807 AS BIGINT) AS time_limit;

CREATE TABLE user_role AS
WITH eligible AS (
  SELECT
    drawn.user_index,
    ROW_NUMBER() OVER (ORDER BY md5(CONCAT('{seed}:user:', users.user_id)), users.user_id) - 1 AS position,
    LEAST({users}, CEIL(COUNT(*) OVER () / 10.0)) AS wanted
  FROM (
    SELECT user_index
    FROM interactions
    GROUP BY user_index
    HAVING COUNT(*) BETWEEN {leastEvents} AND {mostEvents}
  ) AS drawn
  JOIN users ON users.user_index = drawn.user_index
)
SELECT
  users.user_index,
  CASE
    WHEN eligible.position < eligible.wanted THEN 'test'
    WHEN eligible.position < 2 * eligible.wanted THEN 'validation'
    ELSE 'train'
  END AS role
FROM users
LEFT JOIN eligible ON eligible.user_index = users.user_index;

CREATE TABLE item_role AS
WITH seen AS (
  SELECT indexed.item_index, MIN(indexed.time) AS first_seen
  FROM indexed_interactions AS indexed
  JOIN user_role ON user_role.user_index = indexed.user_index
  WHERE user_role.role = 'train'
  GROUP BY indexed.item_index
),
ordered AS (
  SELECT
    item_index, first_seen,
    ROW_NUMBER() OVER (ORDER BY first_seen, item_index) - 1 AS position,
    COUNT(*) OVER () AS total
  FROM seen
),
validation AS (
  SELECT MIN(first_seen) AS since FROM ordered WHERE position >= FLOOR((1 - {fraction}) * total)
)
SELECT item_index, CASE WHEN first_seen >= (SELECT since FROM validation) THEN 'validation' ELSE 'train' END AS role
FROM ordered;
