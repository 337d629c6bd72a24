-- What training may see: events of training users with training items before the cut, as one history per user in time order, ties by
-- item. Everything fitted, counted or factorised further on starts from this table.
--
-- in:  interactions, item_role, user_role, cut
-- out: training (user_index, item_index, rating, time), ordered
CREATE TABLE training AS
SELECT interactions.user_index, interactions.item_index, interactions.rating, interactions.time
FROM interactions
-- What is held out is little: leaving it out is cheaper than looking up what stays.
LEFT JOIN (SELECT item_index FROM item_role WHERE role <> 'train') AS held_items
  ON held_items.item_index = interactions.item_index
LEFT JOIN (SELECT user_index FROM user_role WHERE role <> 'train') AS held_users
  ON held_users.user_index = interactions.user_index
WHERE held_items.item_index IS NULL
  AND held_users.user_index IS NULL
  AND interactions.time < (SELECT time_limit FROM cut)
ORDER BY interactions.user_index, interactions.time, interactions.item_index;
