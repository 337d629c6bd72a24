-- When each item was first interacted with, over all events: what the splits are decided by.
--
-- in:  interactions
-- out: first_seen (item_index, first_seen, events)
CREATE TABLE first_seen AS
SELECT item_index, MIN(time) AS first_seen, COUNT(*) AS events
FROM interactions
GROUP BY item_index;
