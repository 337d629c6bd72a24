-- What test and validation items are truly similar to, computed for these query items only and read by evaluation only.
-- EV4: the smallest time between the two interactions of a user with both items; a horizon of 1 d, 7 d, 30 d or ∞ is a bound on it.
-- EV5: the {neighbours} items with the highest c_ij/√(n_i·n_j) among those with at least {minCommonUsers} common users.
-- Validation lives in a world without test items and without events after the cut, so that choosing a model on it leaks nothing.
--
-- in:  interactions, interactions_before, first_seen, item_statistics, item_role, user_role, items
-- out: queries, truth_co_interaction, truth_affinity, truth_item_statistics
CREATE TABLE queries AS
SELECT item_index, role
FROM (
  SELECT
    item_role.item_index, item_role.role,
    ROW_NUMBER() OVER (
      PARTITION BY item_role.role
      ORDER BY md5(CONCAT('{seed}:query:', items.item_id)), items.item_id
    ) AS position
  FROM item_role
  JOIN items ON items.item_index = item_role.item_index
  WHERE item_role.role IN ('test', 'validation')
) AS drawn
WHERE position <= {maxQueries};

-- The events of the query items, each in its role's world.
CREATE TABLE query_events AS
SELECT queries.role, interactions.user_index, interactions.item_index, interactions.rating, interactions.time
FROM interactions
JOIN queries ON queries.item_index = interactions.item_index AND queries.role = 'test'
UNION ALL
SELECT queries.role, known.user_index, known.item_index, known.rating, known.time
FROM interactions_before AS known
JOIN queries ON queries.item_index = known.item_index AND queries.role = 'validation'
LEFT JOIN (SELECT user_index FROM user_role WHERE role <> 'train') AS held_users
  ON held_users.user_index = known.user_index
WHERE held_users.user_index IS NULL;

CREATE TABLE truth_item_statistics AS
SELECT
  role, item_index,
  CAST(COUNT(*) AS INTEGER) AS ratings,
  CAST(SUM(CAST(rating AS DECIMAL(18, 6))) AS DOUBLE) / COUNT(*) AS mean_rating,
  MIN(time) AS first_seen
FROM query_events
GROUP BY role, item_index
ORDER BY role, item_index;

-- What the users of the query items did besides. A user of a validation item's events is a training user; an item has one role.
CREATE TABLE common_test AS
SELECT
  own.item_index AS query,
  other.item_index AS item,
  MIN(ABS(own.time - other.time)) AS seconds,
  CAST(COUNT(*) AS INTEGER) AS common_users
FROM query_events AS own
JOIN interactions AS other ON other.user_index = own.user_index AND other.item_index <> own.item_index
WHERE own.role = 'test'
GROUP BY own.item_index, other.item_index;

CREATE TABLE common_validation AS
SELECT
  own.item_index AS query,
  other.item_index AS item,
  MIN(ABS(own.time - other.time)) AS seconds,
  CAST(COUNT(*) AS INTEGER) AS common_users
FROM query_events AS own
JOIN interactions_before AS other ON other.user_index = own.user_index AND other.item_index <> own.item_index
LEFT JOIN (SELECT item_index FROM item_role WHERE role = 'test') AS of_test ON of_test.item_index = other.item_index
WHERE own.role = 'validation' AND of_test.item_index IS NULL
GROUP BY own.item_index, other.item_index;

CREATE VIEW common AS
SELECT query, item, seconds, common_users FROM common_test
UNION ALL
SELECT query, item, seconds, common_users FROM common_validation;

CREATE VIEW truth_co_interaction AS
SELECT queries.role, common.query, common.item, common.seconds
FROM common
JOIN queries ON queries.item_index = common.query;

CREATE TABLE truth_affinity AS
WITH degrees AS (
  SELECT 'test' AS role, item_index, events AS n FROM first_seen
  UNION ALL
  -- The world of validation is what training sees, and the validation items' own events.
  SELECT 'validation' AS role, item_index, ratings AS n FROM item_statistics
  UNION ALL
  SELECT 'validation' AS role, known.item_index, COUNT(*) AS n
  FROM interactions_before AS known
  JOIN (SELECT item_index FROM item_role WHERE role = 'validation') AS held ON held.item_index = known.item_index
  LEFT JOIN (SELECT user_index FROM user_role WHERE role <> 'train') AS held_users
    ON held_users.user_index = known.user_index
  WHERE held_users.user_index IS NULL
  GROUP BY known.item_index
),
scored AS (
  SELECT
    queries.role, common.query, common.item, common.common_users,
    common.common_users / SQRT(CAST(of_query.n AS DOUBLE) * CAST(of_item.n AS DOUBLE)) AS affinity
  FROM common
  JOIN queries ON queries.item_index = common.query
  JOIN degrees AS of_query ON of_query.role = queries.role AND of_query.item_index = common.query
  JOIN degrees AS of_item ON of_item.role = queries.role AND of_item.item_index = common.item
  WHERE common.common_users >= {minCommonUsers}
),
ranked AS (
  SELECT
    scored.role, scored.query, scored.item, scored.common_users, scored.affinity,
    -- EV7: ties by a hash of the id.
    ROW_NUMBER() OVER (
      PARTITION BY scored.query
      ORDER BY scored.affinity DESC, md5(items.item_id), items.item_id
    ) AS rank
  FROM scored
  JOIN items ON items.item_index = scored.item
)
SELECT role, query, item, CAST(rank AS INTEGER) AS rank, affinity, common_users
FROM ranked
WHERE rank <= {neighbours}
ORDER BY query, rank;
