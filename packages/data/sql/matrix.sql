-- The degree-normalised user × item matrix A_ui = 1/√(d_u·d_i) over the training events, for the surrogate factors (stage 2). It is never
-- written out: the histories are its pattern, and these two tables its scales, A = diag(row scale)·pattern·diag(column scale).
--
-- in:  user_statistics, item_statistics
-- out: matrix_rows (user_index, scale), matrix_columns (item_index, scale)
CREATE TABLE matrix_rows AS
SELECT user_index, events, 1 / SQRT(CAST(events AS DOUBLE)) AS scale
FROM user_statistics
ORDER BY user_index;

CREATE TABLE matrix_columns AS
SELECT item_index, 1 / SQRT(CAST(ratings AS DOUBLE)) AS scale
FROM item_statistics
ORDER BY item_index;
