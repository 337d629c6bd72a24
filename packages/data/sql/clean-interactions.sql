-- Every row of the interaction files, checked. `problem` is NULL for a row that can be used; otherwise it says what is wrong, and
-- `problem_value` keeps the text of the cell. No row is left out here: that is what makes rejects countable.
--
-- in:  raw_interactions (file{rowNumber}, damage, user_id, item_id, rating, time), all text as read; damage is NULL for a whole record
-- out: checked_interactions, in file order where the engine keeps one, else with row_number
CREATE TABLE checked_interactions AS
WITH numbers AS (
  SELECT
    file{rowNumber}, damage, user_id, item_id,
    rating AS rating_text,
    time AS time_text,
    CASE WHEN {hasRating} THEN parse_number(rating) ELSE 1.0 END AS rating,
    CASE WHEN {hasTime} AND {numericTime} THEN parse_number(time) END AS time_number
  FROM raw_interactions
),
times AS (
  SELECT
    file{rowNumber}, damage, user_id, item_id, rating_text, time_text, rating,
    CASE
      WHEN NOT {hasTime} THEN 0
      -- A column of numbers may hold seconds, milli-, micro- or nanoseconds: told apart by size, so that 1973–5138 is
      -- read right in each. NaN and infinity are above every bound.
      WHEN ABS(time_number) < {secondsBelow} THEN CAST(FLOOR(time_number) AS BIGINT)
      WHEN ABS(time_number) < {millisecondsBelow} THEN CAST(FLOOR(time_number / 1000.0) AS BIGINT)
      WHEN ABS(time_number) < {microsecondsBelow} THEN CAST(FLOOR(time_number / 1000000.0) AS BIGINT)
      WHEN ABS(time_number) < {nanosecondsBelow} THEN CAST(FLOOR(time_number / 1000000000.0) AS BIGINT)
      WHEN time_number IS NULL AND {isoTime} THEN parse_iso_seconds(time_text)
    END AS time
  FROM numbers
),
problems AS (
  SELECT
    file{rowNumber}, damage, user_id, item_id, rating_text, time_text, rating, time,
    CASE
      -- Nearly every row: one look. NaN and infinity are outside every range.
      WHEN user_id <> '' AND item_id <> '' AND byte_length(user_id) <= 512 AND byte_length(item_id) <= 512
        AND rating >= {ratingLeast} AND rating <= {ratingMost} AND time IS NOT NULL THEN NULL
      WHEN damage IS NOT NULL THEN damage
      WHEN user_id IS NULL OR user_id = '' THEN 'empty user id'
      WHEN item_id IS NULL OR item_id = '' THEN 'empty item id'
      WHEN byte_length(user_id) > 512 THEN 'user id longer than 512 bytes'
      WHEN byte_length(item_id) > 512 THEN 'item id longer than 512 bytes'
      WHEN {hasRating} AND (rating_text IS NULL OR rating_text = '') THEN 'empty rating'
      WHEN rating IS NULL THEN 'rating is not a number'
      WHEN NOT (ABS(rating) < 1e300) THEN 'rating is not finite'
      WHEN rating < {ratingLeast} OR rating > {ratingMost} THEN 'rating out of range'
      WHEN {hasTime} AND (time_text IS NULL OR time_text = '') THEN 'empty time'
      ELSE 'time is not readable'
    END AS problem
  FROM times
)
SELECT
  file{rowNumber}, user_id, item_id, rating, time, problem,
  CASE
    WHEN problem IS NULL THEN NULL
    -- The first cell of a damaged record holds what there is of it.
    WHEN damage IS NOT NULL THEN user_id
    WHEN problem LIKE '%user id%' THEN user_id
    WHEN problem LIKE '%item id%' THEN item_id
    WHEN problem LIKE '%rating%' THEN rating_text
    ELSE time_text
  END AS problem_value
FROM problems;
