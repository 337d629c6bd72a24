-- Every row of the item files, checked like the interactions. Of several rows with one id the last is used.
--
-- in:  numbered_items (row_number, file, damage, item_id, and the columns that channels and the catalogue ask for), all text as read, in file order
-- out: checked_items (the same, with problem and problem_value)
CREATE TABLE checked_items AS
WITH ranked AS (
  SELECT
    *,
    ROW_NUMBER() OVER (PARTITION BY item_id ORDER BY row_number DESC) AS from_last
  FROM numbered_items
)
SELECT
  *,
  CASE
    WHEN damage IS NOT NULL THEN damage
    WHEN item_id IS NULL OR item_id = '' THEN 'empty item id'
    WHEN byte_length(item_id) > 512 THEN 'item id longer than 512 bytes'
    WHEN from_last > 1 THEN 'item id occurs again further on, and the last row is used'
  END AS problem,
  item_id AS problem_value
FROM ranked
ORDER BY row_number;
