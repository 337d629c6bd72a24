-- What the steps use and DuckDB calls otherwise, or does more loosely than others. Another engine brings its own such file.

-- A decimal number, or NULL. DuckDB alone would read 1_000 as a thousand, and +-1 as −1.
CREATE OR REPLACE MACRO parse_number(cell) AS
  CASE WHEN contains(cell, '_') OR contains(cell, '+-') THEN NULL ELSE TRY_CAST(cell AS DOUBLE) END;

-- Bytes of a text.
CREATE OR REPLACE MACRO byte_length(cell) AS strlen(cell);

-- Seconds since 1970 of an ISO 8601 time (UTC where it names no zone), or NULL. DuckDB alone would also read 17-07-14 as a day of the year 17,
-- and words like epoch; and a row with the name of a zone, such as Europe/Berlin, would change how the rows after it are read.
CREATE OR REPLACE MACRO parse_iso_seconds(cell) AS
  CASE
    WHEN regexp_matches(cell, '^ *[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([T ][0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}([.][0-9]+)?)?(Z| UTC|[+-](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)? *$')
    THEN CAST(FLOOR(epoch_us(TRY_CAST(TRIM(cell) AS TIMESTAMPTZ)) / 1000000.0) AS BIGINT)
  END;

-- A whole number in [0, 2³²) from the first eight hexadecimal digits of md5: the only source of chance in SQL.
CREATE OR REPLACE MACRO md5_number(cell) AS
  CAST(CONCAT('0x', SUBSTR(md5(cell), 1, 8)) AS BIGINT);
