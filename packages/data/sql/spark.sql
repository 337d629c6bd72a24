-- What the steps use and Spark calls otherwise, or does more loosely than DuckDB: see duckdb.sql.

-- A decimal number, or NULL. Spark alone would read 1d and 1f, and hexadecimal numbers.
CREATE OR REPLACE TEMPORARY FUNCTION parse_number(cell STRING) RETURNS DOUBLE RETURN
  CASE
    WHEN cell RLIKE '^\\s*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?\\s*$' THEN TRY_CAST(cell AS DOUBLE)
    WHEN LOWER(TRIM(cell)) RLIKE '^[+-]?(nan|inf|infinity)$' THEN DOUBLE('NaN')
  END;

-- Bytes of a text.
CREATE OR REPLACE TEMPORARY FUNCTION byte_length(cell STRING) RETURNS INT RETURN OCTET_LENGTH(cell);

-- Seconds since 1970 of an ISO 8601 time (UTC where it names no zone), or NULL. Spark alone knows no 24:00, which is 00:00 of the next day.
CREATE OR REPLACE TEMPORARY FUNCTION parse_iso_seconds(cell STRING) RETURNS BIGINT RETURN
  CASE
    WHEN cell RLIKE '^ *[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([T ][0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}([.][0-9]+)?)?(Z| UTC|[+-](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)? *\\z'
    THEN CAST(FLOOR(UNIX_MICROS(TRY_CAST(REGEXP_REPLACE(TRIM(cell), '([T ])24(:00(:00([.]0+)?)?)', '$100$2') AS TIMESTAMP)) / 1000000.0) AS BIGINT)
      + CASE WHEN cell RLIKE '[T ]24:00' THEN 86400 ELSE 0 END
  END;

-- A whole number in [0, 2³²) from the first eight hexadecimal digits of md5: the only source of chance in SQL.
CREATE OR REPLACE TEMPORARY FUNCTION md5_number(cell STRING) RETURNS BIGINT RETURN
  CAST(CONV(SUBSTR(MD5(CAST(cell AS BINARY)), 1, 8), 16, 10) AS BIGINT);
