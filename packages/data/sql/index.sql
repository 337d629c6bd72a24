-- Ids become dense numbers, in the order of the ids' bytes. Ids stay strings to the outside.
--
-- in:  numbered_user_ids, numbered_item_ids (sorted ids with row_number)
-- out: users (user_index, user_id), items (item_index, item_id, described)
CREATE TABLE users AS
SELECT CAST(row_number AS INTEGER) AS user_index, user_id
FROM numbered_user_ids;

CREATE TABLE items AS
SELECT CAST(row_number AS INTEGER) AS item_index, item_id, described
FROM numbered_item_ids;
