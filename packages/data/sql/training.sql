-- What training may see: events of training users with training items before the cut, as one history per user in time order, ties by
-- item. Everything fitted, counted or factorised further on starts from this table.
--
-- in:  interactions_before, item_role, user_role
-- out: training (user_index, item_index, rating, time), ordered
CREATE TABLE training AS
SELECT known.user_index, known.item_index, known.rating, known.time
FROM interactions_before AS known
-- What is held out is little: leaving it out is cheaper than looking up what stays.
LEFT JOIN (SELECT item_index FROM item_role WHERE role <> 'train') AS held_items
  ON held_items.item_index = known.item_index
LEFT JOIN (SELECT user_index FROM user_role WHERE role <> 'train') AS held_users
  ON held_users.user_index = known.user_index
WHERE held_items.item_index IS NULL
  AND held_users.user_index IS NULL
ORDER BY known.user_index, known.time, known.item_index;
