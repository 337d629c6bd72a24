-- When each item was first interacted with, and by how many users: what the splits are decided by. First means first of all events, also of
-- those that a later one of the same user replaces: a film seen again last week is no new film.
--
-- in:  indexed_interactions, interactions
-- out: first_seen (item_index, first_seen, events)
CREATE TABLE first_seen AS
SELECT seen.item_index, seen.first_seen, kept.events
FROM (SELECT item_index, MIN(time) AS first_seen FROM indexed_interactions GROUP BY item_index) AS seen
JOIN (SELECT item_index, COUNT(*) AS events FROM interactions GROUP BY item_index) AS kept
  ON kept.item_index = seen.item_index;
