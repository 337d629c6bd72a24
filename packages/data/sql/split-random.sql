-- EV2: 5 % of the items, drawn by the md5 of seed and id, with all their events removed. EV3: the next 5 % for validation. Folds cut the same
-- order: the test items of fold k are its k-th share. 3 * (1/3) of 360 falls short of 360 by rounding, hence 1e-9.
--
-- in:  first_seen, items, users
-- out: item_role, user_role, cut
CREATE TABLE cut AS SELECT CAST(9223372036854775807 AS BIGINT) AS time_limit;

CREATE TABLE item_role AS
SELECT
  item_index,
  CASE
    WHEN position >= FLOOR(({fold} - 1) * {fraction} * total + 1e-9) AND position < FLOOR({fold} * {fraction} * total + 1e-9) THEN 'test'
    WHEN position >= FLOOR(({next} - 1) * {fraction} * total + 1e-9) AND position < FLOOR({next} * {fraction} * total + 1e-9) THEN 'validation'
    ELSE 'train'
  END AS role
FROM (
  SELECT
    first_seen.item_index,
    ROW_NUMBER() OVER (ORDER BY md5(CONCAT('{seed}:item:', items.item_id)), items.item_id) - 1 AS position,
    COUNT(*) OVER () AS total
  FROM first_seen
  JOIN items ON items.item_index = first_seen.item_index
) AS drawn;

CREATE TABLE user_role AS SELECT user_index, 'train' AS role FROM users;
