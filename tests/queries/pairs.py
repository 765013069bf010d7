"""Thirty queries for each of three schemas, as pairs: arguments of fecscan, and SQL for DuckDB.

The table is called t. Its columns have the FEC's names, are text, and never NULL. The SQL is written out, and is not made
of the arguments. So a misunderstanding of the arguments can't hide in both.

MACROS says in SQL what docs/dialect.md and 'fecscan help by' say in words. DuckDB has no equal of these by itself:

- trim() takes off blanks alone. fecscan takes off ASCII white space, the vertical tab included.
- \\s of DuckDB's regular expressions lacks the vertical tab, so the class is written out.
- Casts to numbers take exponents, underscores and more than two decimals. So a pattern decides first.
- strptime() takes year 0, and has a pattern for one form of dates only. So patterns and the year decide.
- avg() is a float. The mean is made of whole hundredths, a half away from zero.
- count(DISTINCT) counts the empty text, so it is made NULL.

Text sorts by its bytes in DuckDB, as in fecscan. Bytes stand in it as the characters of Latin-1, in the same order.
"""

WHITE = "' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13)"

MACROS = [
    f"cut(s) AS trim(s, {WHITE})",
    r"number(s) AS CASE WHEN regexp_full_match(cut(s), '[+-]?([0-9]+(\.[0-9]{0,2})?|\.[0-9]{1,2})')"
    " THEN TRY_CAST(cut(s) AS DECIMAL(38, 2)) END",
    "whole(s) AS CASE WHEN regexp_full_match(cut(s), '[+-]?[0-9]+') THEN TRY_CAST(cut(s) AS BIGINT) END",
    "valid_day(d) AS CASE WHEN year(d) BETWEEN 1 AND 9999 THEN d END",
    "day_of(s) AS CASE WHEN regexp_full_match(cut(s), '[0-9]{8}|[0-9]{2}/[0-9]{2}/[0-9]{4}')"
    " THEN valid_day(CAST(try_strptime(replace(cut(s), '/', ''), '%m%d%Y') AS DATE))"
    " WHEN regexp_full_match(cut(s), '[0-9]{4}-[0-9]{2}-[0-9]{2}')"
    " THEN valid_day(CAST(try_strptime(cut(s), '%Y-%m-%d') AS DATE)) END",
    "digits_of_month(s) AS CASE"
    " WHEN regexp_full_match(cut(s), '[0-9]{8}') THEN cut(s)[5:8] || '-' || cut(s)[1:2]"
    " WHEN regexp_full_match(cut(s), '[0-9]{2}/[0-9]{2}/[0-9]{4}') THEN cut(s)[7:10] || '-' || cut(s)[1:2]"
    " WHEN regexp_full_match(cut(s), '[0-9]{4}-[0-9]{2}-[0-9]{2}') THEN cut(s)[1:7]"
    # A month alone, of a year that people live in.
    " WHEN regexp_full_match(cut(s), '(19|20)[0-9]{4}') THEN cut(s)[1:4] || '-' || cut(s)[5:6]"
    " WHEN regexp_full_match(cut(s), '[0-9]{18}') THEN cut(s)[1:4] || '-' || cut(s)[5:6] ELSE '' END",
    "month_of(s) AS regexp_extract(digits_of_month(s), '^[0-9]{4}-(0[1-9]|1[0-2])$')",
    "year_of(s) AS month_of(s)[1:4]",
    "zip5(s) AS regexp_extract(s, '^[0-9]{5}')",
    r"first_name(s) AS regexp_extract(cut(s), ', [ \t\n\x0b\x0c\r]*([^, ]+)', 1)",
    "last_name(s) AS cut(split_part(s, ',', 1))",
    "different(s) AS count(DISTINCT nullif(s, ''))",
    "hundredths(s) AS sum(CAST(replace(CAST(number(s) AS VARCHAR), '.', '') AS HUGEINT))",
    "half_away(h, n) AS (2 * abs(h) + n) // (2 * n)",
    "of_hundredths(h) AS CAST((h // 100) || '.' || lpad(CAST(h % 100 AS VARCHAR), 2, '0') AS DECIMAL(38, 2))",
    "mean_of(s) AS sign(hundredths(s)) * of_hundredths(half_away(hundredths(s), count(number(s))))",
    "is_contribution(s) AS s IN ('10', '10J', '11', '11J', '15', '15E', '15J', '30', '30E', '30J', '30T',"
    " '31', '31E', '31J', '31T', '32', '32E', '32J', '32T')",
]

COLUMNS = {
    "indiv": "CMTE_ID AMNDT_IND RPT_TP TRANSACTION_PGI IMAGE_NUM TRANSACTION_TP ENTITY_TP NAME CITY STATE ZIP_CODE EMPLOYER"
    " OCCUPATION TRANSACTION_DT TRANSACTION_AMT OTHER_ID TRAN_ID FILE_NUM MEMO_CD MEMO_TEXT SUB_ID",
    "pas2": "CMTE_ID AMNDT_IND RPT_TP TRANSACTION_PGI IMAGE_NUM TRANSACTION_TP ENTITY_TP NAME CITY STATE ZIP_CODE EMPLOYER"
    " OCCUPATION TRANSACTION_DT TRANSACTION_AMT OTHER_ID CAND_ID TRAN_ID FILE_NUM MEMO_CD MEMO_TEXT SUB_ID",
    "cm": "CMTE_ID CMTE_NM TRES_NM CMTE_ST1 CMTE_ST2 CMTE_CITY CMTE_ST CMTE_ZIP CMTE_DSGN CMTE_TP CMTE_PTY_AFFILIATION"
    " CMTE_FILING_FREQ ORG_TP CONNECTED_ORG_NM CAND_ID",
    "ccl": "CAND_ID CAND_ELECTION_YR FEC_ELECTION_YR CMTE_ID CMTE_TP CMTE_DSGN LINKAGE_ID",
}

INDIV = [
    ("by STATE", "SELECT STATE, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by TRANSACTION_TP,MEMO_CD --sum amount",
     "SELECT TRANSACTION_TP, MEMO_CD, count(*), sum(number(TRANSACTION_AMT)) FROM t GROUP BY 1, 2"
     " ORDER BY 4 DESC NULLS LAST, 1, 2"),
    ("by month(IMAGE_NUM)", "SELECT month_of(IMAGE_NUM), count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by month(date) --sum amount --mean amount --min amount --max amount --sort key",
     "SELECT month_of(TRANSACTION_DT), count(*), sum(number(TRANSACTION_AMT)), mean_of(TRANSACTION_AMT),"
     " min(number(TRANSACTION_AMT)), max(number(TRANSACTION_AMT)) FROM t GROUP BY 1 ORDER BY 1"),
    ("by year(date),entity --distinct committee",
     "SELECT year_of(TRANSACTION_DT), ENTITY_TP, count(*), different(CMTE_ID) FROM t"
     " GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"),
    ("by zip5(zip) --sum amount --sort sum(amount) --top 50",
     "SELECT zip5(ZIP_CODE), count(*), sum(number(TRANSACTION_AMT)) FROM t GROUP BY 1"
     " ORDER BY 3 DESC NULLS LAST, 1 LIMIT 50"),
    ("by first_name(name)", "SELECT first_name(NAME), count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by last_name(name),zip5(zip)",
     "SELECT last_name(NAME), zip5(ZIP_CODE), count(*) FROM t GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"),
    ("by #10 --mean #15 --sort mean(amount)",
     "SELECT STATE, count(*), mean_of(TRANSACTION_AMT) FROM t GROUP BY 1 ORDER BY 3 DESC NULLS LAST, 1"),
    ("by EMPLOYER --sum amount --contributions --sort sum(amount) --ascending --top 40",
     "SELECT EMPLOYER, count(*), sum(number(TRANSACTION_AMT)) FROM t WHERE is_contribution(TRANSACTION_TP) GROUP BY 1"
     " ORDER BY 3 NULLS LAST, 1 LIMIT 40"),
    ("by CMTE_ID --distinct NAME --contributions",
     "SELECT CMTE_ID, count(*), different(NAME) FROM t WHERE is_contribution(TRANSACTION_TP) GROUP BY 1"
     " ORDER BY 2 DESC, 1"),
    ("by NAME --min date --max date --sum amount",
     "SELECT NAME, count(*), min(day_of(TRANSACTION_DT)), max(day_of(TRANSACTION_DT)), sum(number(TRANSACTION_AMT)) FROM t"
     " GROUP BY 1 ORDER BY 5 DESC NULLS LAST, 1"),
    ('''by OCCUPATION --where "STATE IN ('CA', 'NY', 'TX')"''',
     "SELECT OCCUPATION, count(*) FROM t WHERE STATE IN ('CA', 'NY', 'TX') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by STATE --where "state NOT IN ('CA', 'NY')" --where "amount >= 1000"''',
     "SELECT STATE, count(*) FROM t WHERE STATE NOT IN ('CA', 'NY') AND number(TRANSACTION_AMT) >= 1000 GROUP BY 1"
     " ORDER BY 2 DESC, 1"),
    ('''by STATE,CITY --where "amount < 0" --sum amount''',
     "SELECT STATE, CITY, count(*), sum(number(TRANSACTION_AMT)) FROM t WHERE number(TRANSACTION_AMT) < 0 GROUP BY 1, 2"
     " ORDER BY 4 DESC NULLS LAST, 1, 2"),
    ('''by RPT_TP --where "amount <= 100" --where "amount > 25.50" --mean amount''',
     "SELECT RPT_TP, count(*), mean_of(TRANSACTION_AMT) FROM t"
     " WHERE number(TRANSACTION_AMT) <= 100 AND number(TRANSACTION_AMT) > 25.50 GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by date --where "date >= '2015-01-10' AND date < '2018-02-01'" --sort key''',
     "SELECT TRANSACTION_DT, count(*) FROM t WHERE day_of(TRANSACTION_DT) >= DATE '2015-01-10'"
     " AND day_of(TRANSACTION_DT) < DATE '2018-02-01' GROUP BY 1 ORDER BY day_of(TRANSACTION_DT), 1"),
    ('''by AMNDT_IND,election --where "date > '2014-12-31'" --where "date <= DATE '2017-12-31'" --max date''',
     "SELECT AMNDT_IND, TRANSACTION_PGI, count(*), max(day_of(TRANSACTION_DT)) FROM t"
     " WHERE day_of(TRANSACTION_DT) > DATE '2014-12-31' AND day_of(TRANSACTION_DT) <= DATE '2017-12-31' GROUP BY 1, 2"
     " ORDER BY 3 DESC, 1, 2"),
    ('''by EMPLOYER --where "EMPLOYER ~ '(?i)self.?emp'"''',
     "SELECT EMPLOYER, count(*) FROM t WHERE regexp_matches(EMPLOYER, '(?i)self.?emp') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by OCCUPATION --where "NOT OCCUPATION ~ '^(RET|NOT)'" --sort key --ascending''',
     "SELECT OCCUPATION, count(*) FROM t WHERE NOT regexp_matches(OCCUPATION, '^(RET|NOT)') GROUP BY 1 ORDER BY 1"),
    ('''by zip --where "zip LIKE '9%'" --distinct NAME --sort distinct(NAME)''',
     "SELECT ZIP_CODE, count(*), different(NAME) FROM t WHERE starts_with(ZIP_CODE, '9') GROUP BY 1 ORDER BY 3 DESC, 1"),
    ('''count --where "OCCUPATION ILIKE 'retired' AND amount >= 250"''',
     "SELECT count(*) FROM t WHERE regexp_matches(OCCUPATION, '(?i)^retired$') AND number(TRANSACTION_AMT) >= 250"),
    ('''count --contributions --where "MEMO_CD <> 'X'"''',
     "SELECT count(*) FROM t WHERE is_contribution(TRANSACTION_TP) AND MEMO_CD <> 'X'"),
    ('''by date --where "date IN ('2017-06-30', '2015-01-15', '2018-01-15')"''',
     # A day in whatever form the file has it.
     "SELECT TRANSACTION_DT, count(*) FROM t WHERE day_of(TRANSACTION_DT) IN (DATE '2017-06-30', DATE '2015-01-15', DATE '2018-01-15')"
     " GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by first_name(NAME),last_name(NAME) --distinct ZIP_CODE --ascending --top 150",
     "SELECT first_name(NAME), last_name(NAME), count(*), different(ZIP_CODE) FROM t GROUP BY 1, 2 ORDER BY 3, 1, 2"
     " LIMIT 150"),
    ("by year(IMAGE_NUM),month(TRANSACTION_DT) --max amount --sort max(amount)",
     "SELECT year_of(IMAGE_NUM), month_of(TRANSACTION_DT), count(*), max(number(TRANSACTION_AMT)) FROM t GROUP BY 1, 2"
     " ORDER BY 4 DESC NULLS LAST, 1, 2"),
    ('''by OTHER_ID,#7,#6 --where "other <> ''"''',
     "SELECT OTHER_ID, ENTITY_TP, TRANSACTION_TP, count(*) FROM t WHERE OTHER_ID <> '' GROUP BY 1, 2, 3"
     " ORDER BY 4 DESC, 1, 2, 3"),
    ("by FILE_NUM --min date --sort min(date) --ascending",
     "SELECT FILE_NUM, count(*), min(day_of(TRANSACTION_DT)) FROM t GROUP BY 1 ORDER BY 3 NULLS LAST, 1"),
    ('''by MEMO_TEXT --where "text ILIKE '%earmark%'" --sum amount --distinct SUB_ID''',
     "SELECT MEMO_TEXT, count(*), sum(number(TRANSACTION_AMT)), different(SUB_ID) FROM t"
     " WHERE regexp_matches(MEMO_TEXT, '(?i)earmark') GROUP BY 1 ORDER BY 3 DESC NULLS LAST, 1"),
    ('''count --where "filing > 1146000 AND NOT regexp_matches(name, ', [A-Z]+$')"''',
     "SELECT count(*) FROM t WHERE whole(FILE_NUM) > 1146000 AND NOT regexp_matches(NAME, ', [A-Z]+$')"),
]

CM = [
    ("by CMTE_ST", "SELECT CMTE_ST, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by type,designation", "SELECT CMTE_TP, CMTE_DSGN, count(*) FROM t GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"),
    ("by party", "SELECT CMTE_PTY_AFFILIATION, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by #12,#13 --sort key", "SELECT CMTE_FILING_FREQ, ORG_TP, count(*) FROM t GROUP BY 1, 2 ORDER BY 1, 2"),
    ("by zip5(zip)", "SELECT zip5(CMTE_ZIP), count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by zip --distinct TRES_NM",
     "SELECT CMTE_ZIP, count(*), different(TRES_NM) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by first_name(TRES_NM)", "SELECT first_name(TRES_NM), count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by last_name(treasurer),state",
     "SELECT last_name(TRES_NM), CMTE_ST, count(*) FROM t GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"),
    ("by TRES_NM --distinct CMTE_ID --sort distinct(committee) --top 60",
     "SELECT TRES_NM, count(*), different(CMTE_ID) FROM t GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT 60"),
    ("by CMTE_NM", "SELECT CMTE_NM, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by CMTE_CITY,CMTE_ST --ascending",
     "SELECT CMTE_CITY, CMTE_ST, count(*) FROM t GROUP BY 1, 2 ORDER BY 3, 1, 2"),
    ('''by CMTE_ST2 --where "street2 <> ''"''',
     "SELECT CMTE_ST2, count(*) FROM t WHERE CMTE_ST2 <> '' GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CAND_ID --where "CAND_ID != ''" --distinct CMTE_ID''',
     "SELECT CAND_ID, count(*), different(CMTE_ID) FROM t WHERE CAND_ID <> '' GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CMTE_TP --where "CMTE_ST IN ('CA', 'NY', 'TX', 'DC')" --distinct CMTE_CITY''',
     "SELECT CMTE_TP, count(*), different(CMTE_CITY) FROM t WHERE CMTE_ST IN ('CA', 'NY', 'TX', 'DC') GROUP BY 1"
     " ORDER BY 2 DESC, 1"),
    ('''by ORG_TP --where "CMTE_TP NOT IN ('H', 'S', 'P')"''',
     "SELECT ORG_TP, count(*) FROM t WHERE CMTE_TP NOT IN ('H', 'S', 'P') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CMTE_ST --where "CMTE_NM ~ '(?i)victory|fund'"''',
     "SELECT CMTE_ST, count(*) FROM t WHERE regexp_matches(CMTE_NM, '(?i)victory|fund') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CMTE_DSGN --where "NOT (CMTE_NM LIKE '%PAC' OR CMTE_NM LIKE '%COMMITTEE%')"''',
     "SELECT CMTE_DSGN, count(*) FROM t WHERE NOT regexp_matches(CMTE_NM, 'PAC$|COMMITTEE')"
     " GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by zip5(CMTE_ZIP) --where "starts_with(zip, '20')" --sort key''',
     "SELECT zip5(CMTE_ZIP), count(*) FROM t WHERE starts_with(CMTE_ZIP, '20') GROUP BY 1 ORDER BY 1"),
    ('''by CONNECTED_ORG_NM --where "#14 NOT IN ('', 'NONE')" --distinct CMTE_ST --sort distinct(CMTE_ST)''',
     "SELECT CONNECTED_ORG_NM, count(*), different(CMTE_ST) FROM t WHERE CONNECTED_ORG_NM NOT IN ('', 'NONE') GROUP BY 1"
     " ORDER BY 3 DESC, 1"),
    ("by first_name(TRES_NM),last_name(TRES_NM) --distinct CMTE_ZIP --top 100",
     "SELECT first_name(TRES_NM), last_name(TRES_NM), count(*), different(CMTE_ZIP) FROM t GROUP BY 1, 2"
     " ORDER BY 3 DESC, 1, 2 LIMIT 100"),
    ("by CMTE_ST,CMTE_TP,CMTE_DSGN,CMTE_PTY_AFFILIATION",
     "SELECT CMTE_ST, CMTE_TP, CMTE_DSGN, CMTE_PTY_AFFILIATION, count(*) FROM t GROUP BY 1, 2, 3, 4"
     " ORDER BY 5 DESC, 1, 2, 3, 4"),
    ("by CMTE_FILING_FREQ --distinct CMTE_ID --distinct CAND_ID --distinct CMTE_ST",
     "SELECT CMTE_FILING_FREQ, count(*), different(CMTE_ID), different(CAND_ID), different(CMTE_ST) FROM t GROUP BY 1"
     " ORDER BY 2 DESC, 1"),
    # A zip code is text, but can be read as a number.
    ('''count --where "TRY_CAST(zip AS BIGINT) >= 90000 AND TRY_CAST(zip AS BIGINT) < 100000"''',
     "SELECT count(*) FROM t WHERE TRY_CAST(CMTE_ZIP AS BIGINT) BETWEEN 90000 AND 99999"),
    ('''by CMTE_ZIP --where "TRY_CAST(zip AS DECIMAL(14, 2)) <= 21000" --where "TRY_CAST(zip AS DECIMAL(14, 2)) > 20000"''',
     "SELECT CMTE_ZIP, count(*) FROM t WHERE TRY_CAST(CMTE_ZIP AS DECIMAL(14, 2)) BETWEEN 20000.01 AND 21000 GROUP BY 1"
     " ORDER BY 2 DESC, 1"),
    ('''count --where "CMTE_PTY_AFFILIATION = ''"''', "SELECT count(*) FROM t WHERE CMTE_PTY_AFFILIATION = ''"),
    ('''count --where "TRES_NM ~ ', [A-Z]+ [A-Z][.]?$'" --where "type = 'H'"''',
     "SELECT count(*) FROM t WHERE regexp_matches(TRES_NM, ', [A-Z]+ [A-Z]\\.?$') AND CMTE_TP = 'H'"),
    ('''count --where "regexp_matches(CMTE_ST1, '^p[.]? ?o[.]? box', 'i')"''',
     "SELECT count(*) FROM t WHERE regexp_matches(CMTE_ST1, '(?i)^p\\.? ?o\\.? box')"),
    ('''by CMTE_CITY --where "CMTE_CITY LIKE 'SAN%'" --distinct zip --sort distinct(zip) --ascending''',
     "SELECT CMTE_CITY, count(*), different(CMTE_ZIP) FROM t WHERE starts_with(CMTE_CITY, 'SAN')"
     " GROUP BY 1 ORDER BY 3, 1"),
    ("by CMTE_ID", "SELECT CMTE_ID, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by last_name(CMTE_NM) --where "contains(name, ',')" --top 80''',
     "SELECT last_name(CMTE_NM), count(*) FROM t WHERE regexp_matches(CMTE_NM, ',')"
     " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 80"),
]

CCL = [
    ("by CMTE_TP", "SELECT CMTE_TP, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by designation --sort key", "SELECT CMTE_DSGN, count(*) FROM t GROUP BY 1 ORDER BY 1"),
    ("by CMTE_TP,CMTE_DSGN", "SELECT CMTE_TP, CMTE_DSGN, count(*) FROM t GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"),
    ("by year", "SELECT CAND_ELECTION_YR, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by cycle --distinct CAND_ID --distinct CMTE_ID",
     "SELECT FEC_ELECTION_YR, count(*), different(CAND_ID), different(CMTE_ID) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by CAND_ID", "SELECT CAND_ID, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by CMTE_ID", "SELECT CMTE_ID, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by #7", "SELECT LINKAGE_ID, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by CAND_ID --distinct CMTE_ID --sort distinct(committee)",
     "SELECT CAND_ID, count(*), different(CMTE_ID) FROM t GROUP BY 1 ORDER BY 3 DESC, 1"),
    ("by CMTE_ID --distinct CAND_ID --sort distinct(#1) --ascending --top 70",
     "SELECT CMTE_ID, count(*), different(CAND_ID) FROM t GROUP BY 1 ORDER BY 3, 1 LIMIT 70"),
    ("by year,type --top 20",
     "SELECT CAND_ELECTION_YR, CMTE_TP, count(*) FROM t GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 20"),
    ("by #2,#5,#6 --ascending",
     "SELECT CAND_ELECTION_YR, CMTE_TP, CMTE_DSGN, count(*) FROM t GROUP BY 1, 2, 3 ORDER BY 4, 1, 2, 3"),
    ("by CAND_ID,CMTE_ID --sort key", "SELECT CAND_ID, CMTE_ID, count(*) FROM t GROUP BY 1, 2 ORDER BY 1, 2"),
    ('''by CMTE_DSGN --where "CMTE_TP = 'H'"''',
     "SELECT CMTE_DSGN, count(*) FROM t WHERE CMTE_TP = 'H' GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CMTE_DSGN --where "CMTE_TP IN ('H', 'S', 'P')" --distinct year''',
     "SELECT CMTE_DSGN, count(*), different(CAND_ELECTION_YR) FROM t WHERE CMTE_TP IN ('H', 'S', 'P') GROUP BY 1"
     " ORDER BY 2 DESC, 1"),
    ('''by CMTE_TP --where "CMTE_DSGN <> 'P'"''',
     "SELECT CMTE_TP, count(*) FROM t WHERE CMTE_DSGN <> 'P' GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by year --where "designation NOT IN ('P', 'A')" --sort key''',
     "SELECT CAND_ELECTION_YR, count(*) FROM t WHERE CMTE_DSGN NOT IN ('P', 'A') GROUP BY 1 ORDER BY 1"),
    ('''by CAND_ID --where "candidate LIKE 'H%'"''',
     "SELECT CAND_ID, count(*) FROM t WHERE starts_with(CAND_ID, 'H') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CMTE_TP --where "CAND_ID ~ '^S.(CA|NY|TX)'"''',
     "SELECT CMTE_TP, count(*) FROM t WHERE regexp_matches(CAND_ID, '^S.(CA|NY|TX)') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CMTE_TP --where "left(CAND_ID, 1) NOT IN ('H', 'S')"''',
     "SELECT CMTE_TP, count(*) FROM t WHERE NOT regexp_matches(CAND_ID, '^[HS]') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CAND_ELECTION_YR --where "CAND_ID ILIKE 'h_tx%'"''',
     "SELECT CAND_ELECTION_YR, count(*) FROM t WHERE regexp_matches(CAND_ID, '(?i)^h.tx') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by year --where "year < 2014"''',
     "SELECT CAND_ELECTION_YR, count(*) FROM t WHERE whole(CAND_ELECTION_YR) < 2014 GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by year --where "year <= 2014 AND year > 2008"''',
     "SELECT CAND_ELECTION_YR, count(*) FROM t WHERE whole(CAND_ELECTION_YR) <= 2014 AND whole(CAND_ELECTION_YR) > 2008"
     " GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by type --where "year >= 2018" --distinct CMTE_ID''',
     "SELECT CMTE_TP, count(*), different(CMTE_ID) FROM t WHERE whole(CAND_ELECTION_YR) >= 2018 GROUP BY 1"
     " ORDER BY 2 DESC, 1"),
    ('''count --where "TRY_CAST(id AS DECIMAL(14, 2)) >= 200500 AND TRY_CAST(id AS DECIMAL(14, 2)) < 205000.5"''',
     "SELECT count(*) FROM t WHERE TRY_CAST(LINKAGE_ID AS DECIMAL(14, 2)) BETWEEN 200500 AND 205000.49"),
    ('''count --where "CMTE_TP = ''"''', "SELECT count(*) FROM t WHERE CMTE_TP = ''"),
    ('''count --where "FEC_ELECTION_YR = 2016" --where "year <> 2016"''',
     "SELECT count(*) FROM t WHERE whole(FEC_ELECTION_YR) = 2016 AND whole(CAND_ELECTION_YR) <> 2016"),
    ('''count --where "CAND_ID LIKE 'P%'" --where "CMTE_ID LIKE 'C00%'"''',
     "SELECT count(*) FROM t WHERE starts_with(CAND_ID, 'P') AND starts_with(CMTE_ID, 'C00')"),
    ('''by last_name(CAND_ID),CMTE_TP --where "CMTE_DSGN ~ '[AJ]'"''',
     "SELECT last_name(CAND_ID), CMTE_TP, count(*) FROM t WHERE regexp_matches(CMTE_DSGN, '[AJ]') GROUP BY 1, 2"
     " ORDER BY 3 DESC, 1, 2"),
    ("by CMTE_ID,year --distinct id --sort distinct(LINKAGE_ID) --top 45",
     "SELECT CMTE_ID, CAND_ELECTION_YR, count(*), different(LINKAGE_ID) FROM t"
     " GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2 LIMIT 45"),
]

QUERIES = {"indiv": INDIV, "cm": CM, "ccl": CCL}
