-- What is wrong with rows, in a table of its own, so that the big one can go once it is indexed.
--
-- in:  numbered_interactions, checked_items
-- out: rejected_rows (source, file, row_number, problem, problem_column, problem_value),
--      source_files (source, file, first_row, total_rows)
CREATE TABLE rejected_rows AS
SELECT
  source, file, row_number, problem, problem_value,
  CASE
    WHEN problem LIKE '%user id%' THEN 'user'
    WHEN problem LIKE '%item id%' THEN 'item'
    WHEN problem LIKE '%rating%' THEN 'rating'
    WHEN problem LIKE '%time%' THEN 'time'
    -- The whole row is damaged.
    ELSE NULL
  END AS problem_column
FROM (
  SELECT 'interactions' AS source, file, row_number, problem, problem_value
  FROM numbered_interactions
  WHERE problem IS NOT NULL
  UNION ALL
  SELECT 'items' AS source, file, row_number, problem, problem_value
  FROM checked_items
  WHERE problem IS NOT NULL
) AS rejected;

CREATE TABLE source_files AS
SELECT 'interactions' AS source, file, MIN(row_number) AS first_row, COUNT(*) AS total_rows
FROM numbered_interactions
GROUP BY file
UNION ALL
SELECT 'items' AS source, file, MIN(row_number) AS first_row, COUNT(*) AS total_rows
FROM checked_items
GROUP BY file;
