"""Thirty queries for each of three schemas, as pairs: arguments of fecscan, and SQL for DuckDB.

The table is called t. Its columns have the FEC's names, are text, and never NULL. The SQL is written out, and is not made
of the arguments. So a misunderstanding of the arguments can't hide in both.

MACROS says in SQL what docs/dialect.md and 'fecscan help by' say in words. DuckDB has no equal of these by itself:

- trim() takes off blanks alone. fecscan takes off ASCII white space, the vertical tab included.
- \\s of DuckDB's regular expressions lacks the vertical tab, so the class is written out.
- Casts to numbers take exponents, underscores and more than two decimals. So a pattern decides first.
- strptime() takes year 0, and has a pattern for one form of dates only. So patterns and the year decide.

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
    "zip5(s) AS regexp_extract(s, '^[0-9]{5}')",
    r"first_name(s) AS regexp_extract(cut(s), ', [ \t\n\x0b\x0c\r]*([^, ]+)', 1)",
    "last_name(s) AS cut(split_part(s, ',', 1))",
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
    ("by \"regexp_extract(IMAGE_NUM, '^[0-9]{6}')\"", "SELECT regexp_extract(IMAGE_NUM, '^[0-9]{6}'), count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by "strftime(date, '%Y-%m')" --sum amount --agg 'avg(amount), min(amount), max(amount)' --sort "strftime(date, '%Y-%m')"''',
     "SELECT strftime(day_of(TRANSACTION_DT), '%Y-%m'), count(*), sum(number(TRANSACTION_AMT)), avg(number(TRANSACTION_AMT)),"
     " min(number(TRANSACTION_AMT)), max(number(TRANSACTION_AMT)) FROM t GROUP BY 1 ORDER BY 1"),
    ("by 'year(date), entity' --agg 'count(DISTINCT committee)' --sort 'count DESC'",
     "SELECT year(day_of(TRANSACTION_DT)), ENTITY_TP, count(*), count(DISTINCT CMTE_ID) FROM t"
     " GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"),
    ("by 'zip5(zip)' --sum amount --top 50 --sort 'sum(amount) DESC'",
     "SELECT zip5(ZIP_CODE), count(*), sum(number(TRANSACTION_AMT)) FROM t GROUP BY 1"
     " ORDER BY 3 DESC NULLS LAST, 1 LIMIT 50"),
    ("by 'first_name(name)'", "SELECT first_name(NAME), count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by 'last_name(name), zip5(zip)'",
     "SELECT last_name(NAME), zip5(ZIP_CODE), count(*) FROM t GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"),
    ("by #10 --agg 'avg(#15)' --sort 'avg(amount) DESC'",
     "SELECT STATE, count(*), avg(number(TRANSACTION_AMT)) FROM t GROUP BY 1 ORDER BY 3 DESC NULLS LAST, 1"),
    ("by EMPLOYER --sum amount --contributions --top 40 --sort 'sum(amount)'",
     "SELECT EMPLOYER, count(*), sum(number(TRANSACTION_AMT)) FROM t WHERE is_contribution(TRANSACTION_TP) GROUP BY 1"
     " ORDER BY 3 NULLS LAST, 1 LIMIT 40"),
    ("by CMTE_ID --agg 'count(DISTINCT NAME)' --contributions --sort 'count DESC'",
     "SELECT CMTE_ID, count(*), count(DISTINCT NAME) FROM t WHERE is_contribution(TRANSACTION_TP) GROUP BY 1"
     " ORDER BY 2 DESC, 1"),
    ("by NAME --sum amount --agg 'min(date), max(date)'",
     "SELECT NAME, count(*), sum(number(TRANSACTION_AMT)), min(day_of(TRANSACTION_DT)), max(day_of(TRANSACTION_DT)) FROM t"
     " GROUP BY 1 ORDER BY 3 DESC NULLS LAST, 1"),
    ('''by OCCUPATION --where "STATE IN ('CA', 'NY', 'TX')"''',
     "SELECT OCCUPATION, count(*) FROM t WHERE STATE IN ('CA', 'NY', 'TX') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by STATE --where "state NOT IN ('CA', 'NY')" --where "amount >= 1000"''',
     "SELECT STATE, count(*) FROM t WHERE STATE NOT IN ('CA', 'NY') AND number(TRANSACTION_AMT) >= 1000 GROUP BY 1"
     " ORDER BY 2 DESC, 1"),
    ('''by STATE,CITY --sum amount --where "amount < 0"''',
     "SELECT STATE, CITY, count(*), sum(number(TRANSACTION_AMT)) FROM t WHERE number(TRANSACTION_AMT) < 0 GROUP BY 1, 2"
     " ORDER BY 4 DESC NULLS LAST, 1, 2"),
    ('''by RPT_TP --agg 'avg(amount)' --sort 'count DESC' --where "amount <= 100" --where "amount > 25.50"''',
     "SELECT RPT_TP, count(*), avg(number(TRANSACTION_AMT)) FROM t"
     " WHERE number(TRANSACTION_AMT) <= 100 AND number(TRANSACTION_AMT) > 25.50 GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by date --where "date >= '2015-01-10' AND date < '2018-02-01'" --sort date''',
     "SELECT day_of(TRANSACTION_DT), count(*) FROM t WHERE day_of(TRANSACTION_DT) >= DATE '2015-01-10'"
     " AND day_of(TRANSACTION_DT) < DATE '2018-02-01' GROUP BY 1 ORDER BY 1"),
    ('''by AMNDT_IND,election --agg 'max(date)' --sort 'count DESC' --where "date > '2014-12-31'" --where "date <= DATE '2017-12-31'"''',
     "SELECT AMNDT_IND, TRANSACTION_PGI, count(*), max(day_of(TRANSACTION_DT)) FROM t"
     " WHERE day_of(TRANSACTION_DT) > DATE '2014-12-31' AND day_of(TRANSACTION_DT) <= DATE '2017-12-31' GROUP BY 1, 2"
     " ORDER BY 3 DESC, 1, 2"),
    ('''by EMPLOYER --where "EMPLOYER ~ '(?i)self.?emp'"''',
     "SELECT EMPLOYER, count(*) FROM t WHERE regexp_matches(EMPLOYER, '(?i)self.?emp') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by OCCUPATION --where "NOT OCCUPATION ~ '^(RET|NOT)'" --sort OCCUPATION''',
     "SELECT OCCUPATION, count(*) FROM t WHERE NOT regexp_matches(OCCUPATION, '^(RET|NOT)') GROUP BY 1 ORDER BY 1"),
    ('''by zip --agg 'count(DISTINCT NAME)' --sort 'count(DISTINCT NAME) DESC' --where "zip LIKE '9%'"''',
     "SELECT ZIP_CODE, count(*), count(DISTINCT NAME) FROM t WHERE starts_with(ZIP_CODE, '9') GROUP BY 1 ORDER BY 3 DESC, 1"),
    ('''count --where "OCCUPATION ILIKE 'retired' AND amount >= 250"''',
     "SELECT count(*) FROM t WHERE regexp_matches(OCCUPATION, '(?i)^retired$') AND number(TRANSACTION_AMT) >= 250"),
    ('''count --contributions --where "MEMO_CD <> 'X'"''',
     "SELECT count(*) FROM t WHERE is_contribution(TRANSACTION_TP) AND MEMO_CD <> 'X'"),
    ('''by date --where "date IN ('2017-06-30', '2015-01-15', '2018-01-15')"''',
     # A day in whatever form the file has it.
     "SELECT day_of(TRANSACTION_DT), count(*) FROM t WHERE day_of(TRANSACTION_DT) IN (DATE '2017-06-30', DATE '2015-01-15', DATE '2018-01-15')"
     " GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by 'first_name(NAME), last_name(NAME)' --agg 'count(DISTINCT ZIP_CODE)' --top 150 --sort count",
     "SELECT first_name(NAME), last_name(NAME), count(*), count(DISTINCT ZIP_CODE) FROM t GROUP BY 1, 2 ORDER BY 3, 1, 2"
     " LIMIT 150"),
    ('''by "regexp_extract(IMAGE_NUM, '^[0-9]{4}'), strftime(TRANSACTION_DT, '%Y-%m')" --sort 'max(amount) DESC' --agg max(amount)''',
     "SELECT regexp_extract(IMAGE_NUM, '^[0-9]{4}'), strftime(day_of(TRANSACTION_DT), '%Y-%m'), count(*), max(number(TRANSACTION_AMT)) FROM t GROUP BY 1, 2"
     " ORDER BY 4 DESC NULLS LAST, 1, 2"),
    ('''by OTHER_ID,#7,#6 --where "other <> ''"''',
     "SELECT OTHER_ID, ENTITY_TP, TRANSACTION_TP, count(*) FROM t WHERE OTHER_ID <> '' GROUP BY 1, 2, 3"
     " ORDER BY 4 DESC, 1, 2, 3"),
    ("by FILE_NUM --agg 'min(date)' --sort 'min(date)'",
     "SELECT whole(FILE_NUM), count(*), min(day_of(TRANSACTION_DT)) FROM t GROUP BY 1 ORDER BY 3 NULLS LAST, 1"),
    ('''by MEMO_TEXT --sum amount --agg 'count(DISTINCT SUB_ID)' --where "text ILIKE '%earmark%'"''',
     "SELECT MEMO_TEXT, count(*), sum(number(TRANSACTION_AMT)), count(DISTINCT whole(SUB_ID)) FROM t"
     " WHERE regexp_matches(MEMO_TEXT, '(?i)earmark') GROUP BY 1 ORDER BY 3 DESC NULLS LAST, 1"),
    ('''count --where "filing > 1146000 AND NOT regexp_matches(name, ', [A-Z]+$')"''',
     "SELECT count(*) FROM t WHERE whole(FILE_NUM) > 1146000 AND NOT regexp_matches(NAME, ', [A-Z]+$')"),
]

CM = [
    ("by CMTE_ST", "SELECT CMTE_ST, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by type,designation", "SELECT CMTE_TP, CMTE_DSGN, count(*) FROM t GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"),
    ("by party", "SELECT CMTE_PTY_AFFILIATION, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by #12,#13 --sort 1,2", "SELECT CMTE_FILING_FREQ, ORG_TP, count(*) FROM t GROUP BY 1, 2 ORDER BY 1, 2"),
    ("by 'zip5(zip)'", "SELECT zip5(CMTE_ZIP), count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by zip --agg 'count(DISTINCT TRES_NM)' --sort 'count DESC'",
     "SELECT CMTE_ZIP, count(*), count(DISTINCT TRES_NM) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by 'first_name(TRES_NM)'", "SELECT first_name(TRES_NM), count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by 'last_name(treasurer), state'",
     "SELECT last_name(TRES_NM), CMTE_ST, count(*) FROM t GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"),
    ("by TRES_NM --agg 'count(DISTINCT CMTE_ID)' --top 60 --sort 'count(DISTINCT CMTE_ID) DESC'",
     "SELECT TRES_NM, count(*), count(DISTINCT CMTE_ID) FROM t GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT 60"),
    ("by CMTE_NM", "SELECT CMTE_NM, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by CMTE_CITY,CMTE_ST --sort count",
     "SELECT CMTE_CITY, CMTE_ST, count(*) FROM t GROUP BY 1, 2 ORDER BY 3, 1, 2"),
    ('''by CMTE_ST2 --where "street2 <> ''"''',
     "SELECT CMTE_ST2, count(*) FROM t WHERE CMTE_ST2 <> '' GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CAND_ID --agg 'count(DISTINCT CMTE_ID)' --sort 'count DESC' --where "CAND_ID != ''"''',
     "SELECT CAND_ID, count(*), count(DISTINCT CMTE_ID) FROM t WHERE CAND_ID <> '' GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CMTE_TP --agg 'count(DISTINCT CMTE_CITY)' --sort 'count DESC' --where "CMTE_ST IN ('CA', 'NY', 'TX', 'DC')"''',
     "SELECT CMTE_TP, count(*), count(DISTINCT CMTE_CITY) FROM t WHERE CMTE_ST IN ('CA', 'NY', 'TX', 'DC') GROUP BY 1"
     " ORDER BY 2 DESC, 1"),
    ('''by ORG_TP --where "CMTE_TP NOT IN ('H', 'S', 'P')"''',
     "SELECT ORG_TP, count(*) FROM t WHERE CMTE_TP NOT IN ('H', 'S', 'P') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CMTE_ST --where "CMTE_NM ~ '(?i)victory|fund'"''',
     "SELECT CMTE_ST, count(*) FROM t WHERE regexp_matches(CMTE_NM, '(?i)victory|fund') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CMTE_DSGN --where "NOT (CMTE_NM LIKE '%PAC' OR CMTE_NM LIKE '%COMMITTEE%')"''',
     "SELECT CMTE_DSGN, count(*) FROM t WHERE NOT regexp_matches(CMTE_NM, 'PAC$|COMMITTEE')"
     " GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by 'zip5(CMTE_ZIP)' --sort 'zip5(CMTE_ZIP)' --where "starts_with(zip, '20')"''',
     "SELECT zip5(CMTE_ZIP), count(*) FROM t WHERE starts_with(CMTE_ZIP, '20') GROUP BY 1 ORDER BY 1"),
    ('''by CONNECTED_ORG_NM --agg 'count(DISTINCT CMTE_ST)' --sort 'count(DISTINCT CMTE_ST) DESC' --where "#14 NOT IN ('', 'NONE')"''',
     "SELECT CONNECTED_ORG_NM, count(*), count(DISTINCT CMTE_ST) FROM t WHERE CONNECTED_ORG_NM NOT IN ('', 'NONE') GROUP BY 1"
     " ORDER BY 3 DESC, 1"),
    ("by 'first_name(TRES_NM), last_name(TRES_NM)' --agg 'count(DISTINCT CMTE_ZIP)' --top 100 --sort 'count DESC'",
     "SELECT first_name(TRES_NM), last_name(TRES_NM), count(*), count(DISTINCT CMTE_ZIP) FROM t GROUP BY 1, 2"
     " ORDER BY 3 DESC, 1, 2 LIMIT 100"),
    ("by CMTE_ST,CMTE_TP,CMTE_DSGN,CMTE_PTY_AFFILIATION",
     "SELECT CMTE_ST, CMTE_TP, CMTE_DSGN, CMTE_PTY_AFFILIATION, count(*) FROM t GROUP BY 1, 2, 3, 4"
     " ORDER BY 5 DESC, 1, 2, 3, 4"),
    ("by CMTE_FILING_FREQ --agg 'count(DISTINCT CMTE_ID), count(DISTINCT CAND_ID), count(DISTINCT CMTE_ST)' --sort 'count DESC'",
     "SELECT CMTE_FILING_FREQ, count(*), count(DISTINCT CMTE_ID), count(DISTINCT CAND_ID), count(DISTINCT CMTE_ST) FROM t GROUP BY 1"
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
    ('''by CMTE_CITY --agg 'count(DISTINCT zip)' --sort 'count(DISTINCT zip)' --where "CMTE_CITY LIKE 'SAN%'"''',
     "SELECT CMTE_CITY, count(*), count(DISTINCT CMTE_ZIP) FROM t WHERE starts_with(CMTE_CITY, 'SAN')"
     " GROUP BY 1 ORDER BY 3, 1"),
    ("by CMTE_ID", "SELECT CMTE_ID, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by 'last_name(CMTE_NM)' --where "contains(name, ',')" --top 80''',
     "SELECT last_name(CMTE_NM), count(*) FROM t WHERE regexp_matches(CMTE_NM, ',')"
     " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 80"),
]

CCL = [
    ("by CMTE_TP", "SELECT CMTE_TP, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by designation --sort designation", "SELECT CMTE_DSGN, count(*) FROM t GROUP BY 1 ORDER BY 1"),
    ("by CMTE_TP,CMTE_DSGN", "SELECT CMTE_TP, CMTE_DSGN, count(*) FROM t GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"),
    ("by year", "SELECT whole(CAND_ELECTION_YR), count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by cycle --agg 'count(DISTINCT CAND_ID), count(DISTINCT CMTE_ID)' --sort 'count DESC'",
     "SELECT whole(FEC_ELECTION_YR), count(*), count(DISTINCT CAND_ID), count(DISTINCT CMTE_ID) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by CAND_ID", "SELECT CAND_ID, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by CMTE_ID", "SELECT CMTE_ID, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by #7", "SELECT LINKAGE_ID, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("by CAND_ID --agg 'count(DISTINCT CMTE_ID)' --sort 'count(DISTINCT CMTE_ID) DESC'",
     "SELECT CAND_ID, count(*), count(DISTINCT CMTE_ID) FROM t GROUP BY 1 ORDER BY 3 DESC, 1"),
    ("by CMTE_ID --agg 'count(DISTINCT CAND_ID)' --top 70 --sort 'count(DISTINCT CAND_ID)'",
     "SELECT CMTE_ID, count(*), count(DISTINCT CAND_ID) FROM t GROUP BY 1 ORDER BY 3, 1 LIMIT 70"),
    ("by year,type --top 20",
     "SELECT whole(CAND_ELECTION_YR), CMTE_TP, count(*) FROM t GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 20"),
    ("by #2,#5,#6 --sort count",
     "SELECT whole(CAND_ELECTION_YR), CMTE_TP, CMTE_DSGN, count(*) FROM t GROUP BY 1, 2, 3 ORDER BY 4, 1, 2, 3"),
    ("by CAND_ID,CMTE_ID --sort CAND_ID,CMTE_ID", "SELECT CAND_ID, CMTE_ID, count(*) FROM t GROUP BY 1, 2 ORDER BY 1, 2"),
    ('''by CMTE_DSGN --where "CMTE_TP = 'H'"''',
     "SELECT CMTE_DSGN, count(*) FROM t WHERE CMTE_TP = 'H' GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CMTE_DSGN --agg 'count(DISTINCT year)' --sort 'count DESC' --where "CMTE_TP IN ('H', 'S', 'P')"''',
     "SELECT CMTE_DSGN, count(*), count(DISTINCT whole(CAND_ELECTION_YR)) FROM t WHERE CMTE_TP IN ('H', 'S', 'P') GROUP BY 1"
     " ORDER BY 2 DESC, 1"),
    ('''by CMTE_TP --where "CMTE_DSGN <> 'P'"''',
     "SELECT CMTE_TP, count(*) FROM t WHERE CMTE_DSGN <> 'P' GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by year --where "designation NOT IN ('P', 'A')" --sort year''',
     "SELECT whole(CAND_ELECTION_YR), count(*) FROM t WHERE CMTE_DSGN NOT IN ('P', 'A') GROUP BY 1 ORDER BY 1"),
    ('''by CAND_ID --where "candidate LIKE 'H%'"''',
     "SELECT CAND_ID, count(*) FROM t WHERE starts_with(CAND_ID, 'H') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CMTE_TP --where "CAND_ID ~ '^S.(CA|NY|TX)'"''',
     "SELECT CMTE_TP, count(*) FROM t WHERE regexp_matches(CAND_ID, '^S.(CA|NY|TX)') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CMTE_TP --where "left(CAND_ID, 1) NOT IN ('H', 'S')"''',
     "SELECT CMTE_TP, count(*) FROM t WHERE NOT regexp_matches(CAND_ID, '^[HS]') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by CAND_ELECTION_YR --where "CAND_ID ILIKE 'h_tx%'"''',
     "SELECT whole(CAND_ELECTION_YR), count(*) FROM t WHERE regexp_matches(CAND_ID, '(?i)^h.tx') GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by year --where "year < 2014"''',
     "SELECT whole(CAND_ELECTION_YR), count(*) FROM t WHERE whole(CAND_ELECTION_YR) < 2014 GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by year --where "year <= 2014 AND year > 2008"''',
     "SELECT whole(CAND_ELECTION_YR), count(*) FROM t WHERE whole(CAND_ELECTION_YR) <= 2014 AND whole(CAND_ELECTION_YR) > 2008"
     " GROUP BY 1 ORDER BY 2 DESC, 1"),
    ('''by type --agg 'count(DISTINCT CMTE_ID)' --sort 'count DESC' --where "year >= 2018"''',
     "SELECT CMTE_TP, count(*), count(DISTINCT CMTE_ID) FROM t WHERE whole(CAND_ELECTION_YR) >= 2018 GROUP BY 1"
     " ORDER BY 2 DESC, 1"),
    ('''count --where "TRY_CAST(id AS DECIMAL(14, 2)) >= 200500 AND TRY_CAST(id AS DECIMAL(14, 2)) < 205000.5"''',
     "SELECT count(*) FROM t WHERE TRY_CAST(LINKAGE_ID AS DECIMAL(14, 2)) BETWEEN 200500 AND 205000.49"),
    ('''count --where "CMTE_TP = ''"''', "SELECT count(*) FROM t WHERE CMTE_TP = ''"),
    ('''count --where "FEC_ELECTION_YR = 2016" --where "year <> 2016"''',
     "SELECT count(*) FROM t WHERE whole(FEC_ELECTION_YR) = 2016 AND whole(CAND_ELECTION_YR) <> 2016"),
    ('''count --where "CAND_ID LIKE 'P%'" --where "CMTE_ID LIKE 'C00%'"''',
     "SELECT count(*) FROM t WHERE starts_with(CAND_ID, 'P') AND starts_with(CMTE_ID, 'C00')"),
    ('''by 'last_name(CAND_ID), CMTE_TP' --where "CMTE_DSGN ~ '[AJ]'"''',
     "SELECT last_name(CAND_ID), CMTE_TP, count(*) FROM t WHERE regexp_matches(CMTE_DSGN, '[AJ]') GROUP BY 1, 2"
     " ORDER BY 3 DESC, 1, 2"),
    ("by CMTE_ID,year --agg 'count(DISTINCT id)' --top 45 --sort 'count(DISTINCT id) DESC'",
     "SELECT CMTE_ID, whole(CAND_ELECTION_YR), count(*), count(DISTINCT LINKAGE_ID) FROM t"
     " GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2 LIMIT 45"),
]

QUERIES = {"indiv": INDIV, "cm": CM, "ccl": CCL}
