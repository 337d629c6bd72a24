-- The catalogue: every item with what the files say about it, and its role. `train` means that training has events of it; an item that
-- no file describes has no fields, and an item that training never meets and no split drew is `unseen`.
--
-- in:  items, checked_items, item_statistics, item_role
-- out: catalogue, ordered by item_index
CREATE TABLE catalogue AS
SELECT
  items.item_index,
  items.item_id,
  CASE
    WHEN item_statistics.item_index IS NOT NULL THEN 'train'
    WHEN item_role.role IN ('test', 'validation') THEN item_role.role
    ELSE 'unseen'
  END AS role,
  items.described,
  checked_items.row_number AS source_row{fields}
FROM items
LEFT JOIN item_statistics ON item_statistics.item_index = items.item_index
LEFT JOIN item_role ON item_role.item_index = items.item_index
LEFT JOIN checked_items ON checked_items.item_id = items.item_id AND checked_items.problem IS NULL
ORDER BY items.item_index;
