-- Counts and means of training items and users. Ratings are added up as decimals: exact, so the order of addition, and with it the
-- number of threads, changes no bit.
--
-- in:  history (training with `event`, which counts up by one along each user's history)
-- out: totals, item_statistics, user_statistics
CREATE TABLE totals AS
SELECT
  COUNT(*) AS events,
  CAST(SUM(CAST(rating AS DECIMAL(18, 6))) AS DOUBLE) / COUNT(*) AS mean_rating
FROM history;

CREATE TABLE item_statistics AS
SELECT
  item_index,
  CAST(ratings AS INTEGER) AS ratings,
  rating_sum / ratings AS mean_rating,
  -- Few ratings say little: the global mean counts as `shrinkage` ratings more.
  (rating_sum + {shrinkage} * (SELECT mean_rating FROM totals)) / (ratings + {shrinkage}) AS shrunk_mean,
  first_seen,
  last_seen
FROM (
  SELECT
    item_index,
    COUNT(*) AS ratings,
    CAST(SUM(CAST(rating AS DECIMAL(18, 6))) AS DOUBLE) AS rating_sum,
    MIN(time) AS first_seen,
    MAX(time) AS last_seen
  FROM history
  GROUP BY item_index
) AS sums
ORDER BY item_index;

CREATE TABLE user_statistics AS
SELECT
  user_index,
  CAST(COUNT(*) AS INTEGER) AS events,
  CAST(SUM(CAST(rating AS DECIMAL(18, 6))) AS DOUBLE) / COUNT(*) AS mean_rating,
  MIN(event) AS first_event
FROM history
GROUP BY user_index
ORDER BY user_index;
