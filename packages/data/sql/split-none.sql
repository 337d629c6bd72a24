-- Nothing is held out: for the model that is served.
--
-- out: item_role, user_role, cut (time_limit: events at or after it are dropped)
CREATE TABLE cut AS SELECT CAST(9223372036854775807 AS BIGINT) AS time_limit;

CREATE TABLE item_role AS SELECT item_index, 'train' AS role FROM first_seen;

CREATE TABLE user_role AS SELECT user_index, 'train' AS role FROM users;
