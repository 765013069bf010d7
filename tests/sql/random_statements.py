#!/usr/bin/env python3
"""Asks random statements of SQL, and compares the rows with DuckDB's on the views that `fecscan columns --duckdb` prints.

A statement that fecscan refuses is counted, and its message. One that both refuse is right. One that DuckDB refuses, and fecscan answers, is
a difference, as are other rows.
"""
import argparse
import collections
import decimal
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

import duckdb

TEXTS = ["STATE", "CITY", "NAME", "EMPLOYER", "OCCUPATION", "MEMO_CD", "ZIP_CODE", "TRANSACTION_TP", "CMTE_ID", "ENTITY_TP", "state", "name", "memo_text", "#8"]
NUMBERS = ["TRANSACTION_AMT", "amount"]
WHOLES = ["FILE_NUM"]
DATES = ["TRANSACTION_DT", "date"]
WORDS = ["CA", "NY", "", "X", "ANN", "SMITH", "O'BRIEN", "A", "RETIRED", "%", "a_b", "15", "15E", "Ñ", "INC."]
REPLACEMENT, GLOBAL = "'<\\0>'", ", 'g'"
DAYS = ["2018-01-31", "2017-02-28", "2018-07-04", "2016-12-31"]
PATTERNS = ["A%", "%ER%", "_A%", "%s", "S_N%", "%", "", "%A%E%", "ca", "%\\_%", "smith%", "%ñ_"]
NARROW = ["DECIMAL(3,1)", "DECIMAL(5,2)", "DECIMAL(2,0)", "DECIMAL(30,4)"]
FULL_PATTERNS = ["'[A-Z]+'", "'[A-Z]*, [A-Z ]*'", "'a|b', 'i'", "'.*n.*', 'i'", "''", "'S.*|T'"]
PARTS = ["year", "quarter", "month", "week", "day"]


# The columns that statements name, by their own names.
COLUMNS = [name for name in TEXTS if name.isupper() and not name.startswith("#")] + ["MEMO_TEXT", "TRAN_ID", "IMAGE_NUM", "SUB_ID"] + WHOLES


OWN = re.compile(r"(?<![\w'.#])(?:" + "|".join(sorted({*COLUMNS, *TEXTS, *NUMBERS, *DATES, "MEMO_TEXT"} - {"#8"})) + r")(?![\w'(])")


class Generator:
    def __init__(self, rng):
        self.rng = rng
        self.depth_of_queries = 0

    def chance(self, share):
        return self.rng.random() < share

    def quoted(self, text):
        return "'" + text.replace("'", "''") + "'"

    def word(self):
        return self.quoted(self.rng.choice(WORDS))

    def shown(self, depth):
        """Returns an expression whose text depends on no processor: the NaN of a remainder has a sign, or none."""
        made = self.any(depth)
        return made if "%" not in made or "DOUBLE" not in made and "1e3" not in made else "amount"

    def text(self, depth):
        rng = self.rng
        if depth <= 0 or self.chance(0.4):
            return rng.choice(TEXTS) if self.chance(0.85) else self.word()
        x = lambda: self.text(depth - 1)
        return rng.choice([
            lambda: f"upper({x()})", lambda: f"lower({x()})", lambda: f"trim({x()})", lambda: f"ltrim({x()})", lambda: f"rtrim({x()}, 'AN ')",
            lambda: f"left({x()}, {rng.randrange(-3, 6)})", lambda: f"right({x()}, {rng.randrange(-3, 6)})",
            lambda: f"substr({x()}, {rng.randrange(-5, 7)}, {rng.randrange(-3, 6)})", lambda: f"substr({x()}, {rng.randrange(-5, 7)})",
            lambda: f"{x()} || {x()}", lambda: f"concat({x()}, {self.shown(depth - 1)})", lambda: f"replace({x()}, {self.word()}, {self.word()})",
            lambda: f"split_part({x()}, {rng.choice([self.quoted(', '), self.quoted(' '), self.quoted('A'), self.quoted('')])}, {rng.randrange(-3, 4)})",
            lambda: f"coalesce({x()}, {x()})", lambda: f"nullif({x()}, {x()})", lambda: f"CASE WHEN {self.condition(depth - 1)} THEN {x()} ELSE {x()} END",
            lambda: f"CASE WHEN {self.condition(depth - 1)} THEN {x()} END", lambda: f"{rng.choice(TEXTS)}[{rng.randrange(-4, 5)}:{rng.randrange(-4, 6)}]",
            lambda: f"{rng.choice(TEXTS)}[{rng.randrange(-4, 5)}]", lambda: f"CAST({self.shown(depth - 1)} AS VARCHAR)",
            lambda: f"CAST(regexp_full_match({x()}, {rng.choice(FULL_PATTERNS)}) AS VARCHAR)", lambda: f"regexp_extract({x()}, '([A-Z]+) ([A-Z])', {rng.randrange(0, 4)})", lambda: f"regexp_replace({x()}, '[AEIOU]', {REPLACEMENT}{rng.choice(['', GLOBAL])})",
            lambda: f"dayname({self.day(depth - 1)})", lambda: f"monthname({self.day(depth - 1)})", lambda: f"strftime({self.day(depth - 1)}, '%Y-%m-%d %b %a %j %V %U %W %y')",
            lambda: f"greatest({x()}, {x()})", lambda: f"least({x()}, {x()})", lambda: f"concat_ws({rng.choice([self.quoted(', '), self.quoted('')])}, {x()}, nullif({x()}, {self.word()}), {self.shown(depth - 1)})",
            lambda: f"{rng.choice(['lpad', 'rpad'])}({x()}, {rng.randrange(-1, 30)}, {self.quoted(rng.choice(['0', 'xyz', 'Ñ']))})",
        ])()

    def number(self, depth):
        rng = self.rng
        if depth <= 0 or self.chance(0.35):
            return rng.choice(NUMBERS * 3 + WHOLES + ["5", "200", "0.5", "-3", "1000", "2.25", "1e3"])
        x, w = lambda: self.number(depth - 1), lambda: self.whole(depth - 1)
        return rng.choice([
            lambda: f"({x()} + {x()})", lambda: f"({x()} - {x()})", lambda: self.chain(), lambda: f"{x()}::{rng.choice(['DOUBLE', 'BIGINT', 'DECIMAL(18,1)'])}",
            lambda: f"({x()} // {rng.choice(['2.5', '-0.4', 'nullif(amount, 0)', 'amount'])})", lambda: f"({rng.choice(NUMBERS)} * {rng.choice(['2', '1.5', '-1', '0.01'])})",
            lambda: f"({x()} / {rng.choice(['2', '3', '0.5', 'nullif(amount, 0)'])})", lambda: f"({w()} // {rng.choice(['2', '3', '-7'])})",
            lambda: f"({w()} % {rng.choice(['2', '3', '-7'])})", lambda: f"-({x()})", lambda: f"abs({x()})", lambda: f"round({x()}, {rng.randrange(-2, 3)})", lambda: f"round({x()})",
            lambda: f"floor({x()})", lambda: f"ceil({x()})", lambda: f"greatest({x()}, {x()})", lambda: f"least({x()}, {x()})",
            lambda: f"coalesce({x()}, {x()})", lambda: f"nullif({x()}, {x()})", lambda: f"CASE WHEN {self.condition(depth - 1)} THEN {x()} ELSE {x()} END",
            lambda: f"CAST({x()} AS {rng.choice(['BIGINT', 'DECIMAL(18,3)', 'DOUBLE', 'DECIMAL(18,1)', 'DECIMAL(20,1)', 'DECIMAL(6,2)'])})", lambda: f"TRY_CAST({x()} AS {rng.choice(NARROW)})", lambda: f"TRY_CAST({self.text(0)} AS {rng.choice(['BIGINT', 'DECIMAL(14,2)', 'DOUBLE', 'INTEGER', *NARROW])})", lambda: f"({rng.choice(NUMBERS)} * {x()})", w,
        ])()

    def chain(self):
        """Returns an expression without parentheses."""
        rng = self.rng
        one = lambda: rng.choice(["", "", "", "-", "+"]) + rng.choice(["amount", "FILE_NUM", "2", "3", "1.5", "length(NAME)", "year(date)"]) + rng.choice(["", "", "", "::DOUBLE", "::BIGINT", "::DECIMAL(18,1)"])
        return " ".join([one(), *(f"{rng.choice(['+', '-', '*', '/', '%', '//'])} {one()}" for _ in range(rng.randrange(1, 4)))])

    def whole(self, depth):
        rng = self.rng
        if depth <= 0 or self.chance(0.2):
            return rng.choice(WHOLES + ["7", "-2", "12"])
        return rng.choice([
            lambda: f"length({self.text(depth - 1)})", lambda: f"levenshtein({self.text(depth - 1)}, {rng.choice([self.word(), self.text(depth - 1)])})", lambda: f"strpos({self.text(depth - 1)}, {self.word()})", lambda: f"{rng.choice(['year', 'quarter', 'month', 'week', 'day', 'isodow', 'dayofweek', 'dayofyear'])}({self.day(depth - 1)})",
            lambda: f"date_part('{rng.choice([*PARTS, 'dow', 'isodow', 'doy', 'years'])}', {self.day(depth - 1)})", lambda: f"EXTRACT({rng.choice([*PARTS, 'dow', 'isodow', 'doy'])} FROM {self.day(depth - 1)})",
            lambda: f"date_diff('{rng.choice(PARTS)}', {self.day(depth - 1)}, {self.day(depth - 1)})", lambda: f"({self.day(depth - 1)} - {self.day(depth - 1)})",
        ])()

    def day(self, depth):
        rng = self.rng
        if depth <= 0 or self.chance(0.5):
            return rng.choice(DATES * 3 + [f"DATE '{rng.choice(DAYS)}'"])
        return rng.choice([
            lambda: f"date_trunc('{rng.choice(PARTS)}', {self.day(depth - 1)})::DATE", lambda: f"({self.day(depth - 1)} + {rng.randrange(-40, 400)})", lambda: f"({self.day(depth - 1)} - {rng.randrange(0, 40)})",
            lambda: f"({self.day(depth - 1)} {rng.choice('+-')} INTERVAL {rng.choice(['1', '7', '13', '(-30)', self.quoted('400')])} {rng.choice(['DAY', 'DAYS', 'WEEK', 'MONTH', 'MONTHS', 'QUARTER', 'YEAR'])})::DATE",
            lambda: f"(INTERVAL '{rng.choice(['1 month', '-3 days', '2 years', '5 weeks'])}' + {self.day(depth - 1)})::DATE",
            lambda: f"coalesce({self.day(depth - 1)}, {self.day(depth - 1)})", lambda: f"make_date({rng.randrange(1990, 2020)}, {rng.randrange(1, 13)}, {rng.randrange(1, 29)})",
            lambda: f"TRY_CAST({self.text(0)} AS DATE)", lambda: f"greatest({self.day(depth - 1)}, {self.day(depth - 1)})", lambda: f"last_day({self.day(depth - 1)})",
        ])()

    def any(self, depth):
        return self.rng.choice([self.text, self.number, self.whole, self.day, self.condition])(depth)

    def condition(self, depth):
        rng = self.rng
        if depth <= 0:
            depth = 0
        t, n, d = lambda: self.text(depth - 1), lambda: self.number(depth - 1), lambda: self.day(depth - 1)
        op = lambda: rng.choice(["=", "<>", "!=", "<", "<=", ">", ">="])
        simple = [
            lambda: f"{t()} {op()} {rng.choice([self.word(), t()])}", lambda: f"{n()} {op()} {n()}", lambda: f"{rng.choice(DATES)} {op()} '{rng.choice(DAYS)}'", lambda: f"{d()} {op()} {d()}",
            lambda: f"{t()} {rng.choice(['', 'NOT '])}IN ({', '.join(self.word() for _ in range(rng.randrange(1, 5)))})", lambda: f"{n()} {rng.choice(['', 'NOT '])}IN ({', '.join(rng.choice(['5', '10', '250', '1000', 'NULL', '2.5']) for _ in range(rng.randrange(1, 4)))})",
            lambda: f"{n()} {rng.choice(['', 'NOT '])}BETWEEN {n()} AND {n()}", lambda: f"{t()} {rng.choice(['', 'NOT '])}{rng.choice(['LIKE', 'ILIKE'])} {self.quoted(rng.choice(PATTERNS))}",
            lambda: f"{t()} ~ {self.quoted(rng.choice(['^A', 'S$', '[0-9]{3}', 'A|B', '^$', '(?i)inc']))}", lambda: f"{rng.choice([n, d])()} IS {rng.choice(['', 'NOT '])}NULL",
            lambda: f"{n()} IS {rng.choice(['', 'NOT '])}DISTINCT FROM {n()}", lambda: f"{rng.choice(['contains', 'starts_with', 'ends_with'])}({t()}, {self.word()})",
            lambda: f"regexp_matches({t()}, {self.quoted(rng.choice(['a', 'A.', '[[:digit:]]']))}, 'i')",
        ]
        if self.chance(0.06):
            return self.inner(self.subquery) or rng.choice(simple)()
        if depth == 0 or self.chance(0.5):
            return rng.choice(simple)()
        c = lambda: self.condition(depth - 1)
        return rng.choice([lambda: f"({c()} AND {c()})", lambda: f"({c()} OR {c()})", lambda: f"NOT ({c()})", lambda: f"({c()}) IS {rng.choice(['', 'NOT '])}{rng.choice(['TRUE', 'FALSE', 'NULL'])}",
                           lambda: f"({c()} OR {c()} AND {c()})", lambda: f"{c()} {rng.choice(['AND', 'OR'])} NOT {c()} {rng.choice(['AND', 'OR'])} {c()}"])()

    def subquery(self):
        """Returns a condition with a query in it."""
        rng = self.rng
        where = lambda: f" WHERE {self.condition(1)}" if self.chance(0.7) else ""
        column = lambda: rng.choice([self.text, self.number, self.day])(1)
        value = column()
        return rng.choice([
            lambda: f"{value} {rng.choice(['', 'NOT '])}IN (SELECT {value} FROM indiv{where()})", lambda: f"{self.text(1)} {rng.choice(['', 'NOT '])}IN (SELECT {self.text(1)} FROM indiv{where()})",
            lambda: f"{self.number(1)} {rng.choice(['', 'NOT '])}IN (SELECT {self.number(1)} FROM indiv{where()})", lambda: f"{self.number(1)} {rng.choice(['>', '<=', '<>'])} (SELECT {rng.choice(['avg(amount)', 'max(amount)', 'count(*)', 'median(amount)', 'sum(amount)'])} FROM indiv{where()})",
            lambda: f"date >= (SELECT {rng.choice(['min', 'max'])}(date) FROM indiv{where()})", lambda: f"{rng.choice(['', 'NOT '])}EXISTS (SELECT 1 FROM indiv{where()})",
            lambda: f"{self.text(1)} = (SELECT {self.text(1)} FROM indiv{where()} ORDER BY ALL LIMIT 1)",
        ])()

    def aggregate(self, depth):
        rng = self.rng
        number = lambda: rng.choice([self.exact, self.exact, lambda: rng.choice(NUMBERS)])()
        made = rng.choice([
            lambda: "count(*)", lambda: f"count({self.any(depth)})", lambda: f"count(DISTINCT {self.any(depth)})", lambda: f"sum({number()})", lambda: f"avg({number()})",
            lambda: f"{rng.choice(['min', 'max'])}({rng.choice([number, lambda: self.day(1), lambda: self.whole(1), lambda: self.number(1)])()})", lambda: f"median({number()})", lambda: f"quantile_disc({number()}, {rng.choice(['0.1', '0.5', '0.9', '0', '1'])})",
            lambda: f"quantile_cont({number()}, {rng.choice(['0.1', '0.25', '0.9'])})", lambda: f"{rng.choice(['bool_and', 'bool_or'])}({self.condition(1)})", lambda: f"sum(CASE WHEN {self.condition(1)} THEN amount END)",
            lambda: f"{rng.choice(['min', 'max'])}({self.text(1)})", lambda: f"{rng.choice(['arg_min', 'arg_max', 'min_by', 'max_by'])}({self.any(1)}, {self.unique()})",
            lambda: f"count(DISTINCT ({self.any(1)}, {self.any(1)}))", lambda: f"count_if({self.condition(1)})",
            lambda: f"{rng.choice(['stddev', 'stddev_samp', 'stddev_pop', 'var_samp', 'variance', 'var_pop', 'sem'])}({number()})",
        ])()
        if self.chance(0.15):
            made += f" FILTER (WHERE {self.condition(1)})"
        return made

    def exact_aggregate(self):
        """Returns an aggregate whose last digit does not depend on DuckDB's plan, so that it orders and chooses groups."""
        made = self.aggregate(0)
        return made if not any(word in made for word in ("stddev", "var", "sem")) else "count(*)"

    def unique(self):
        """Returns an expression that differs in all rows: DuckDB may choose any of equal ones."""
        return self.rng.choice(["SUB_ID", "-SUB_ID", "amount * 100000 + SUB_ID", "STATE || SUB_ID", "CASE WHEN amount > 50 THEN SUB_ID END", "DATE '2018-01-31' + CAST(SUB_ID AS INTEGER)"])

    def exact(self):
        rng = self.rng
        return rng.choice(["amount", "TRANSACTION_AMT", "length(NAME)", "amount * 2", "amount + 1.5", "abs(amount)", "CASE WHEN STATE = 'CA' THEN amount ELSE 0 END", "round(amount, 1)", "CAST(amount AS BIGINT)", "year(date)"])

    def inner(self, make):
        """Returns a query within another one, but none within that."""
        if self.depth_of_queries > 0:
            return None
        self.depth_of_queries += 1
        made = make()
        self.depth_of_queries -= 1
        return made

    def source(self, has_doubles=True):
        """Returns what stands before SELECT, and what stands behind FROM: the file, or a query whose columns have its names."""
        rng = self.rng
        if self.chance(0.6) or self.depth_of_queries > 0:
            return "", "indiv"
        def query():
            where = lambda: f" WHERE {self.condition(1)}" if self.chance(0.6) else ""
            columns = [rng.choice([name, name, f"nullif({name}, {self.word()})" if name in TEXTS else name]) + f" AS {name}" for name in COLUMNS]
            columns += [f"{rng.choice(['amount', 'nullif(amount, 25)'])} AS amount", "amount AS TRANSACTION_AMT", "date AS date", "date AS TRANSACTION_DT"]
            items = rng.choice(["*", ", ".join(columns), "DISTINCT " + ", ".join(columns)])
            made = f"SELECT {items} FROM indiv{where()}"
            if self.chance(0.2):
                made = f"{made} UNION {rng.choice(['', 'ALL ']) if has_doubles else ''}SELECT {items} FROM indiv{where()}"
            elif self.chance(0.2):
                made += f" ORDER BY SUB_ID, TRAN_ID{self.limit()}"
            return made
        made = self.inner(query)
        return rng.choice([("", f"({made}) AS indiv"), ("", f"({made})"), (f"WITH rows AS ({made}) ", "rows"), (f"WITH first AS ({made}), indiv AS (SELECT * FROM first) ", "indiv")])

    def over(self, keys, is_total):
        """Returns a window. One without ties has all keys in ORDER BY."""
        rng = self.rng
        partition = f"PARTITION BY {rng.choice(keys)}" if self.chance(0.4) else ""
        orders = [f"{rng.choice([*keys, 'count(*)', 'sum(amount)'] if self.is_grouped else keys)} {rng.choice(['', 'DESC', 'NULLS FIRST', 'DESC NULLS FIRST'])}" for _ in range(rng.randrange(3))]
        if is_total:
            orders += self.unique
        return f"({partition}{' ORDER BY ' + ', '.join(orders) if orders else ''}", bool(orders)

    def window(self, keys, grouped):
        """Returns a call of a window function over groups with these keys, or over rows."""
        rng = self.rng
        self.is_grouped, self.unique = grouped, keys if grouped else ["SUB_ID", "TRAN_ID", "IMAGE_NUM", "amount", "NAME", "STATE", "CITY"]
        value = lambda: rng.choice(["count(*)", "sum(amount)", "count(DISTINCT STATE)", "max(amount)", "min(date)"]) if grouped else self.any(1)
        exact = lambda: rng.choice(["count(*)", "sum(amount)", "count(DISTINCT STATE)", "max(amount)"]) if grouped else self.exact()
        ranks = lambda: f"{rng.choice(['rank', 'dense_rank', 'percent_rank', 'cume_dist'])}()"
        one = lambda: f"{rng.choice(['lag', 'lead'])}({value()}{rng.choice(['', ', 1', ', 2', ', 0', ', -1', ', 3, NULL'])})"
        kind = rng.choice(["ranks", "total", "aggregate", "aggregate", "frame"])
        if kind == "ranks":
            return f"{ranks()} OVER {self.over(keys, False)[0]})"
        if kind == "total":
            return f"{rng.choice([one(), one(), 'row_number()', f'ntile({rng.randrange(1, 5)})', f'first_value({value()})', f'last_value({value()})'])} OVER {self.over(keys, True)[0]})"
        aggregate = rng.choice([f"sum({exact()})", f"avg({exact()})", f"min({exact()})", f"max({exact()})", "count(*)", f"count({value()})", f"max({'min(date)' if grouped else 'date'})", f"sum({exact()}) FILTER (WHERE {exact()} > 2)"])
        if kind == "aggregate":
            return f"{aggregate} OVER {self.over(keys, False)[0]})"
        aggregate = rng.choice([aggregate, f"first_value({value()})", f"last_value({value()})"])
        start = rng.choice(["UNBOUNDED PRECEDING", "2 PRECEDING", "CURRENT ROW", "1 FOLLOWING"])
        end = rng.choice([end for end in ["1 PRECEDING", "CURRENT ROW", "2 FOLLOWING", "UNBOUNDED FOLLOWING"] if not (start == "CURRENT ROW" and end == "1 PRECEDING" or start == "1 FOLLOWING" and end in ("1 PRECEDING", "CURRENT ROW"))])
        return f"{aggregate} OVER {self.over(keys, True)[0]} ROWS BETWEEN {start} AND {end})"

    def windows(self):
        """Returns a statement with window functions over groups, or over rows."""
        rng = self.rng
        if self.chance(0.6):
            with_, source = self.source()
            where = f" WHERE {self.condition(1)}" if self.chance(0.4) else ""
            keys = rng.sample(["STATE", "MEMO_CD", "year(date)", "upper(left(NAME, 1))", "amount > 100", "date", "amount"], rng.randrange(1, 3))
            made = [self.window(keys, True) for _ in range(rng.randrange(1, 3))]
            qualify = f" QUALIFY {self.window(keys, True)} {rng.choice(['>', '<=', '<>'])} {rng.choice(['1', '2', '5'])}" if self.chance(0.3) else ""
            qualify = qualify if "date" not in qualify else ""
            items, tail = keys + made, f" GROUP BY {', '.join(keys)}{rng.choice(['', ' HAVING count(*) > 1'])}{qualify}"
            order = f" ORDER BY {', '.join(str(n + 1) for n in range(len(items)))}{self.limit()}" if self.chance(0.4) else ""
            return f"{with_}SELECT {', '.join(items)} FROM {source}{where}{tail}{order}", bool(order)
        # Rows that are doubles would have any order among each other.
        with_, source = self.source(has_doubles=False)
        where = f" WHERE {self.condition(1)}" if self.chance(0.4) else ""
        keys = rng.sample(["STATE", "MEMO_CD", "year(date)", "amount", "date", "NAME"], rng.randrange(1, 4))
        items = ["SUB_ID"] * self.chance(0.5) + [self.window(keys, False) for _ in range(rng.randrange(1, 4))]
        order = f" ORDER BY {', '.join(str(n + 1) for n in range(len(items)))}{self.limit()}" if self.chance(0.4) else ""
        # The last digit of an average depends on DuckDB's plan, and so which rows are distinct.
        distinct = rng.choice(["", "", "DISTINCT "]) if not any("avg(" in item for item in items) else ""
        return f"{with_}SELECT {distinct}{', '.join(items)} FROM {source}{where}{order}", bool(order)

    def join(self):
        """Returns a statement over joined tables: contributions `i`, committees `c`, groups `g` and the contributions again, `j`."""
        rng = self.rng
        kind = lambda: rng.choice(["JOIN", "JOIN", "INNER JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT OUTER JOIN"])
        first = lambda text: re.sub(OWN, lambda found: f"i.{found[0]}", text)
        column = lambda table: rng.choice({"c": ["c.CMTE_ST", "c.CMTE_NM", "c.CMTE_ZIP", "c.CMTE_CITY", "c.CMTE_ID"], "g": ["g.k", "g.n", "g.least", "g.day"], "j": ["j.SUB_ID", "j.STATE", "j.amount", "j.date"], "i": [first(self.any(1))]}[table])
        equal = {
            "c": lambda: rng.choice(["i.STATE = c.CMTE_ST", "c.CMTE_ST = i.STATE", "i.STATE = c.CMTE_ST", "i.CMTE_ID = c.CMTE_ID", "i.CMTE_ID = c.CMTE_ID", "i.CITY = c.CMTE_CITY AND i.STATE = c.CMTE_ST", "left(c.CMTE_NM, 1) = left(i.NAME, 1)", "length(i.CITY) = length(c.CMTE_CITY)"]),
            "g": lambda: rng.choice(["i.STATE = g.k", "g.n = i.FILE_NUM", "g.least = i.amount", "i.date = g.day", "g.k = i.STATE AND i.amount = g.least"]),
            "j": lambda: rng.choice(["i.SUB_ID = j.FILE_NUM", "i.CITY = j.CITY", "i.date = j.date AND i.amount = j.amount", "j.SUB_ID = i.SUB_ID - 1"]),
        }
        groups = lambda: f"(SELECT {rng.choice(['STATE', 'nullif(STATE, ' + self.word() + ')', 'CITY'])} AS k, count(*) AS n, min(amount) AS least, max(date) AS day FROM indiv WHERE {self.condition(1)} GROUP BY ALL)"
        tables = {"c": lambda: rng.choice(["cm", "cm", f"(SELECT * FROM cm WHERE CMTE_ST <> {self.word()})"]), "g": groups, "j": lambda: rng.choice(["indiv", "(SELECT * FROM indiv WHERE SUB_ID < 40)"])}
        chosen = rng.sample(["c", "c", "g", "j"], rng.choice([1, 1, 2]))
        chosen = list(dict.fromkeys(chosen))
        more = lambda: "" if self.chance(0.7) else f" AND {rng.choice([first(self.condition(1)), 'i.amount > 20'])}"
        made = "indiv AS i"
        if self.chance(0.4):
            # The table of contributions stands on the right.
            table = chosen.pop(0)
            made = f"{tables[table]()} AS {table} {kind()} indiv AS i ON {equal[table]()}{more()}"
            chosen, used = chosen, [table]
        else:
            used = []
        for table in chosen:
            made += f" {kind()} {tables[table]()} AS {table} ON {equal[table]()}{more()}"
        used = [*used, *chosen, "i"]
        equalities = ""
        if self.chance(0.15):
            # The equalities stand in WHERE.
            made = rng.choice([", ", " CROSS JOIN "]).join(["indiv AS i", *(f"{tables[table]()} AS {table}" for table in chosen or used[:1])])
            used = ["c" if table == "c" else table for table in chosen or used[:1]] + ["i"]
            equalities = " AND ".join(equal[table]() for table in used[:-1] if table != "i")
        if used == ["g", "i"] and self.chance(0.3):
            made = f"(SELECT STATE, count(*) AS n, min(amount) AS least, max(date) AS day, min(NAME) AS k FROM indiv WHERE {self.condition(1)} GROUP BY ALL) AS g {kind()} (SELECT * FROM indiv WHERE {self.condition(1)}) AS i USING (STATE)"
        of_table = {
            "c": lambda: rng.choice(["c.CMTE_CITY = 'SALEM'", "c.CMTE_NM LIKE '%PAC'", "c.CMTE_ZIP = ''", "c.CMTE_CITY IN ('DAYTON', 'MADISON')", "c.CMTE_CITY <> i.CITY", "NOT c.CMTE_NM > 'F'", "c.CMTE_ST || c.CMTE_CITY LIKE '%S%'", "coalesce(c.CMTE_ZIP, '') = ''"]),
            "g": lambda: rng.choice(["g.n > 2", "g.day > DATE '2017-06-01'", "g.least <= 25", "g.k <> 'CA'", "g.n + 1 > i.amount"]),
            "j": lambda: rng.choice(["j.amount > 20", "j.MEMO_CD = 'X'", "j.STATE <> i.STATE"]),
            "i": lambda: first(self.condition(1)),
        }
        condition = lambda: rng.choice([lambda: of_table[rng.choice(used)](), lambda: of_table[used[0]](), lambda: column(rng.choice(used)) + rng.choice([" IS NULL", " IS NOT NULL"])])()
        where = f" WHERE {rng.choice(['', '', 'NOT '])}{condition()}{rng.choice(['', f' AND {condition()}', f' OR {condition()}'])}" if self.chance(0.6) else ""
        if not equalities and used[-2:] != ["i"] and " RIGHT " not in made and " FULL " not in made and "USING" not in made and self.chance(0.15):
            table = rng.choice(["c", "g", "j"])
            made += f" {rng.choice(['SEMI', 'ANTI'])} JOIN {tables[table]()} AS {table}2 ON {rng.choice(['i.STATE = c2.CMTE_ST', 'c2.CMTE_CITY = i.CITY', 'i.CMTE_ID = c2.CMTE_ID', 'nullif(i.STATE, ' + self.word() + ') = c2.CMTE_ST'] if table == 'c' else ['i.STATE = g2.k', 'g2.n = i.FILE_NUM', 'i.date = g2.day', 'i.amount = g2.least'] if table == 'g' else ['i.SUB_ID = j2.FILE_NUM', 'j2.date = i.date', 'j2.SUB_ID - 1 = i.SUB_ID'])}"
        if equalities:
            where = f" WHERE ({where[7:]}) AND {equalities}" if where else f" WHERE {equalities}"
        items = [column(rng.choice(used)) for _ in range(rng.randrange(1, 5))]
        if "USING (STATE)" in made:
            items.append("STATE")
        if self.chance(0.5):
            order = f" ORDER BY {', '.join(str(n + 1) for n in range(len(items)))}{self.limit()}" if self.chance(0.5) else ""
            return f"SELECT {rng.choice(['', 'DISTINCT '])}{', '.join(items)} FROM {made}{where}{order}", bool(order)
        keys = [item for item in items if not item.replace(".", "").lstrip("-").isdigit() and not item.startswith(("'", "DATE '"))][:2]
        aggregates = [f"{rng.choice(['min', 'max'])}({column(used[0])})", f"{rng.choice(['bool_and', 'bool_or'])}({condition()})", "count(*)", "count(i.SUB_ID)", "sum(i.amount)", "max(i.date)", f"count({column(used[0])})", "sum(i.amount) FILTER (WHERE i.amount > 20)", f"count(DISTINCT {column(used[0])})"]
        items = keys + rng.sample(aggregates, 2)
        return f"SELECT {', '.join(items)} FROM {made}{where}{' GROUP BY ' + ', '.join(keys) if keys else ''}", False

    def union(self):
        rng = self.rng
        # DuckDB's plan decides the last digit of a double, and so which are equal.
        has_sets = self.chance(0.4)
        value = (lambda: rng.choice([self.text, self.whole, self.day, lambda _: self.exact()])(1)) if has_sets else (lambda: self.any(rng.randrange(2)))
        items = [value() for _ in range(rng.randrange(1, 4))]
        operators = [" UNION ", " INTERSECT ", " EXCEPT "] if has_sets else [" UNION ", " UNION ALL "]
        def side():
            with_, source = self.source()
            where = f" WHERE {self.condition(1)}" if self.chance(0.6) else ""
            chosen = [item if self.chance(0.8) else "NULL" for item in items]
            if with_:
                with_, source = "", "indiv"
            made = f"SELECT {rng.choice(['', 'DISTINCT '])}{', '.join(chosen)} FROM {source}{where}"
            return made if self.chance(0.8) else f"({made} ORDER BY ALL LIMIT {rng.randrange(1, 20)})"
        made = side()
        for _ in range(rng.randrange(1, 3)):
            made += f"{rng.choice(operators)}{side()}"
        order = f" ORDER BY {', '.join(str(n + 1) for n in range(len(items)))}{self.limit()}" if self.chance(0.4) else ""
        return made + order, bool(order)

    def statement(self):
        """Returns a statement, and whether its rows have an order."""
        rng = self.rng
        if self.chance(0.45):
            return rng.choice([self.windows, self.windows, self.union, self.join, self.join, self.join, self.join])()
        with_, source = self.source()
        made, is_ordered = self.select(source)
        return with_ + made, is_ordered

    def select(self, source):
        rng = self.rng
        where = f" WHERE {self.condition(rng.randrange(3))}" if self.chance(0.6) else ""
        kind = rng.choice(["rows", "groups", "groups", "groups", "all", "distinct"])
        if kind == "rows":
            items = [self.any(rng.randrange(4)) for _ in range(rng.randrange(1, 4))]
            orders = [f"{rng.choice([self.any(1), str(rng.randrange(1, len(items) + 1))])} {rng.choice(['', 'DESC', 'ASC NULLS FIRST', 'DESC NULLS FIRST', 'NULLS LAST'])}" for _ in range(rng.randrange(3))]
            tail = ""
            if orders:
                tail = " ORDER BY " + ", ".join([*orders, "SUB_ID", "TRAN_ID", "IMAGE_NUM"]) + self.limit()
            if self.chance(0.05):
                # DuckDB has no columns of these names.
                name = rng.choice(["cycle", "member"])
                items[0] = f"{items[0]} AS {name}"
                where += f"{' AND' if where else ' WHERE'} {name} IS DISTINCT FROM NULL"
            on = f"DISTINCT ON ({', '.join(rng.choice([self.any(rng.randrange(2)), rng.choice(TEXTS), str(rng.randrange(1, len(items) + 1))]) for _ in range(rng.randrange(1, 3)))}) " if orders and self.chance(0.15) else ""
            return f"SELECT {on}{', '.join(items)} FROM {source}{where}{self.sample()}{tail}", bool(orders)
        if kind == "all":
            items = [self.post(rng.randrange(3), []) for _ in range(rng.randrange(1, 4))]
            return f"SELECT {', '.join(items)} FROM {source}{where}{self.sample()}", False
        keys = [self.any(rng.randrange(3)) for _ in range(rng.randrange(1, 3))]
        keys = [key for key in keys if not key.replace('.', '').lstrip('-').isdigit()] or ["STATE"]
        if kind == "distinct":
            tail = f" ORDER BY {', '.join(str(n + 1) for n in range(len(keys)))}{self.limit()}" if self.chance(0.5) else ""
            return f"SELECT DISTINCT {', '.join(keys)} FROM {source}{where}{self.sample()}{tail}", bool(tail)
        items = keys + [self.post(rng.randrange(3), keys) for _ in range(rng.randrange(3))]
        group = rng.choice([", ".join(keys), ", ".join(str(n + 1) for n in range(len(keys))), "ALL"])
        told = []
        if group != "ALL" and self.chance(0.35) and all(any(name in key for name in TEXTS + NUMBERS + WHOLES + DATES) for key in keys):
            told = [f"grouping({key})" for key in keys]
            group = self.sets(group.split(", ") if group[0].isdigit() else keys)
            if self.chance(0.5):
                items.append(f"{rng.choice(['grouping', 'grouping_id'])}({', '.join(rng.choice(keys) for _ in range(rng.randrange(1, 3)))})")
        having = f" HAVING {self.exact_aggregate()} {rng.choice(['>', '<=', '<>', '=', '>='])} {rng.choice(['1', '5', '100', '2.5', '25.004', '24.996', 'sum(amount) * 0.9999'])}" if self.chance(0.25) else ""
        having = having if not any(word in having for word in ("bool_", "min(", "max(", "_by(", "arg_")) else " HAVING count(*) > 1"
        exact = [nth + 1 for nth, item in enumerate(items) if not any(word in item for word in ("stddev", "var", "sem"))]
        orders = [f"{rng.choice([self.exact_aggregate(), str(rng.choice(exact)), f'(-(-{rng.choice(exact)}))'])} {rng.choice(['', 'DESC', 'NULLS FIRST', 'DESC NULLS FIRST'])}" for _ in range(rng.randrange(3))]
        tail = ""
        if orders:
            tail = " ORDER BY " + ", ".join([*orders, *(str(n + 1) for n in range(len(keys))), *told]) + self.limit()
        return f"SELECT {', '.join(items)} FROM {source}{where} GROUP BY {group}{having}{self.sample()}{tail}", bool(orders)

    def sample(self):
        """Returns a sample that has all rows."""
        rng = self.rng
        if not self.chance(0.06):
            return ""
        return f" USING SAMPLE {rng.choice(['100%', '100 PERCENT (bernoulli)', 'bernoulli(100 PERCENT) REPEATABLE (7)', '100000', '100000 ROWS', 'reservoir(100000 ROWS) REPEATABLE (3)'])}"

    def sets(self, keys):
        """Returns grouping sets of keys. Every key is in one of them."""
        rng, all = self.rng, ", ".join(keys)
        one = lambda: rng.choice(keys)
        return rng.choice([
            lambda: f"ROLLUP ({all})", lambda: f"CUBE ({all})", lambda: f"GROUPING SETS (({all}), ())", lambda: f"GROUPING SETS (({all}), {one()}, ({one()}))", lambda: f"ROLLUP (({all}), {one()})",
            lambda: f"{one()}, CUBE ({all})", lambda: f"ROLLUP ({one()}), CUBE ({all})", lambda: f"GROUPING SETS (ROLLUP ({all}), {one()}), GROUPING SETS ({one()}, ())", lambda: f"({all})",
        ])()

    def limit(self):
        rng = self.rng
        return rng.choice(["", f" LIMIT {rng.randrange(0, 20)}", f" LIMIT {rng.randrange(1, 9)} OFFSET {rng.randrange(0, 9)}"])

    def post(self, depth, keys):
        rng = self.rng
        if depth <= 0 or self.chance(0.5):
            return self.aggregate(1)
        x = lambda: self.post(depth - 1, keys)
        exact = lambda: rng.choice(["count(*)", "sum(amount)", "count(DISTINCT STATE)", "max(amount)"])
        # The last digit of an average depends on DuckDB's plan, so its text does, too.
        number = lambda: exact() if self.chance(0.8) else "avg(amount)"
        return rng.choice([
            lambda: f"{number()} / {number()}", lambda: f"{number()} * 2 + 1", lambda: f"round({number()}, 1)", lambda: f"CASE WHEN {number()} > 10 THEN {number()} ELSE 0 END",
            lambda: f"coalesce({number()}, 0)", lambda: f"sum(amount) FILTER (WHERE {self.condition(1)}) / sum(amount)", lambda: f"CAST({exact()} AS VARCHAR) || '!'", x,
        ])()


def same(one, other):
    if one is None or other is None:
        return one is None and other is None
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(other, float) or isinstance(one, float):
        one, other = float(one), float(other)
        return one == other or math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12) or math.isnan(one) and math.isnan(other)
    if isinstance(one, (int, decimal.Decimal)) and isinstance(other, (int, decimal.Decimal)):
        return one == other
    return str(one) == str(other)


def key(row):
    """Orders rows in the same way, whatever types the values of a column have."""
    def placed(value):
        if isinstance(value, bool) or not isinstance(value, (int, float, decimal.Decimal)):
            return value is not None, str(value), ""
        if isinstance(value, float) and not math.isfinite(value):
            return True, str(value), ""
        # Zero may have a sign.
        value = value or 0
        return True, f"{float(value):.11e}", str(round(decimal.Decimal(value), 4).normalize())
    return tuple(placed(value) for value in row)


def make_data(program, folder, rng, rows):
    """Writes a file of contributions, in which some values are empty or malformed."""
    path = os.path.join(folder, "rows.txt")
    made = subprocess.run([program, "generate", "--rows", str(rows), "--seed", str(rng.randrange(1000))], capture_output=True, check=True).stdout
    lines = []
    for nth, line in enumerate(made.splitlines()):
        cells = line.decode("latin-1").split("|")
        if rng.random() < 0.2:
            cells[14] = rng.choice(["", "1,000", "-5", "12.5", "0", "x", " 7 ", "99999999999.99", "-0", "1.005"])
        if rng.random() < 0.2:
            cells[13] = rng.choice(["", "13992018", "2018-01-31", "1/5/2018", "20180704", "02292018", " 01312018 "])
        if rng.random() < 0.1:
            cells[rng.choice([7, 8, 9, 11, 12])] = rng.choice(["", "Ñuñoa", "a_b", "50%", "x", " SMITH ", "O'BRIEN", "ca"])
        if rng.random() < 0.1:
            cells[17] = rng.choice(["", "12x", "-7", "007"])
        cells[18] = rng.choice(["", "", "X"])
        cells[20] = str(nth)
        lines.append("|".join(cells))
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    return path


def make_committees(folder, rng):
    """Writes a file of committees, some of which have the same state, or none."""
    path = os.path.join(folder, "cm.txt")
    with open(path, "w", encoding="utf-8") as out:
        for nth in range(60):
            state, city = rng.choice(["CA", "NY", "TX", "FL", "", "ZZ", "NJ", "PA"]), rng.choice(["SALEM", "DAYTON", "", "HOUSTON", "MADISON"])
            name = rng.choice(["SMITH PAC", "ANN FOR SENATE", "X", "", "FRIENDS OF O'BRIEN", "BETTER PAC"])
            out.write(f"{rng.choice(['C00991354', f'C{nth:08}'])}|{name}|ROE, JO|1 ST||{city}|{state}|{rng.choice(['10001', '900491234', ''])}|U|N||Q|||\n")
    return path


def in_parts(program, folder, rng, statement, files, how):
    """Writes partials of ranges of the first file, and returns the outcome of their merge: its rows as JSON, or a refusal of the statement."""
    size = os.path.getsize(files[0])
    places = ["", *map(str, sorted(rng.sample(range(size), rng.randrange(1, 3)))), ""]
    names = [os.path.join(folder, f"{nth}.part") for nth in range(len(places) - 1)]
    for name, start, end in zip(names, places, places[1:]):
        ran = subprocess.run([program, "sql", "--quiet", *how, "--partial", name, "--range", f"{start}:{end}", statement, *files], capture_output=True)
        if ran.returncode:
            return ran
    rng.shuffle(names)
    return subprocess.run([program, "merge", "-f", "json", "--quiet", *names], capture_output=True)


# An error of a row that a plan may evaluate before a condition leaves it out, or not at all.
OF_A_ROW = ("Invalid Input Error: Division by zero", "Out of Range Error", "Conversion Error")
CHOOSES = re.compile(r"WHERE|FILTER|HAVING|JOIN|CASE|coalesce|LIMIT|\bAND\b|\bOR\b")

# What a partial can't hold, by the words of the refusal.
NO_PARTIAL = (b"a partial holds groups", b"takes a sample", b"a partial is of one pass", b"does not read the table of the first file")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--statements", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default="target/release/fecscan")
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--only", type=int)
    parser.add_argument("--refused", action="store_true", help="print what is refused")
    parser.add_argument("--merged", type=float, default=0.2, help="the share of the answered statements that are asked in parts too, if a partial can hold them")
    parser.add_argument("--show", type=int, default=12, help="the most differences to print")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    # The levels of this processor, of the long version.
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    levels = [level for level in ("avx512", "avx2", "neon", "portable") if level in version]
    outcomes, refusals, shown = collections.Counter(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        path = make_data(program, folder, random.Random(options.seed), options.rows)
        committees = make_committees(folder, random.Random(options.seed))
        connection = duckdb.connect()
        for schema, file in (("indiv", path), ("cm", committees)):
            for statement in subprocess.run([program, "columns", schema, "--duckdb", file], capture_output=True, text=True, check=True).stdout.split(";\n"):
                if statement.strip():
                    connection.execute(statement)
        # Reading the text again for each statement would take most of the time.
        connection.execute("CREATE TABLE stored AS SELECT * FROM indiv; DROP VIEW indiv; ALTER TABLE stored RENAME TO indiv")
        for nth in range(options.statements) if options.only is None else [options.only]:
            rng = random.Random(f"{options.seed} {nth}")
            statement, ordered = Generator(rng).statement()
            how = ["--simd", rng.choice(levels), "--task-size", rng.choice(["2000", "2097152"]), "-j", rng.choice(["1", "2", "4"])]
            files = [path, committees] if re.search(r"\bcm\b", statement) else [path]
            ran = subprocess.run([program, "sql", "-f", "json", "--quiet", *how, statement, *files], capture_output=True, text=True, errors="replace")
            try:
                expected = connection.execute(statement).fetchall()
                error = None
            except duckdb.Error as failed:
                expected, error = None, str(failed).splitlines()[0]
            if ran.returncode not in (0, 2) or "bug of fecscan" in ran.stderr:
                outcome, detail = "crash", f"{ran.returncode}: {ran.stderr[:300]}"
            elif ran.returncode == 2:
                outcome, detail = ("refused by both", "") if error else ("refused", ran.stderr.strip())
                if not error:
                    refusals[ran.stderr.splitlines()[0].split(": ", 2)[-1][:90]] += 1
                    if options.refused:
                        print(f"{nth} refused: {statement}\n  {detail}", flush=True)
            elif error and error.startswith(OF_A_ROW) and CHOOSES.search(statement):
                outcome, detail = "a row's error in DuckDB alone", ""
            elif error:
                outcome, detail = "answered alone", error
            else:
                rows = [tuple(row.values()) if isinstance(row, dict) else row for row in json.loads(ran.stdout, parse_float=decimal.Decimal, object_pairs_hook=Row)]
                expected = [tuple(None if isinstance(value, float) and not math.isfinite(value) else value for value in row) for row in expected]
                if not ordered:
                    rows, expected = sorted(rows, key=key), sorted(expected, key=key)
                right = len(rows) == len(expected) and all(len(one) == len(other) and all(map(same, one, other)) for one, other in zip(rows, expected))
                outcome = "right" if right else "wrong"
                first = next(((one, other) for one, other in zip(rows, expected) if not all(map(same, one, other))), (len(rows), len(expected)))
                detail = f"fecscan {first[0]}\n  duckdb  {first[1]}"
            if outcome == "right" and (rng.random() < options.merged or options.only is not None):
                merged = in_parts(program, folder, rng, statement, files, how)
                if merged.returncode == 0:
                    outcomes["merged"] += 1
                    if merged.stdout.decode(errors="replace") != ran.stdout:
                        outcome, detail = "wrong", f"fecscan {ran.stdout[:300]}\n  merged {merged.stdout.decode(errors='replace')[:300]}"
                elif not any(words in merged.stderr for words in NO_PARTIAL):
                    outcome, detail = "crash", f"as partials: {merged.returncode}: {merged.stderr.decode(errors='replace')[:300]}"
            outcomes[outcome] += 1
            if outcome in ("crash", "wrong", "answered alone") or options.only is not None:
                shown += 1
                if shown <= options.show:
                    print(f"{nth} {outcome}: {statement}\n  {detail}", flush=True)
    print(", ".join(f"{number:,} {name}" for name, number in sorted(outcomes.items())))
    for text, number in refusals.most_common(15):
        print(f"  refused {number}: {text}")
    return 1 if any(outcomes[name] for name in ("crash", "wrong", "answered alone")) else 0


class Row(tuple):
    """The values of an object, whose names may occur twice."""

    def __new__(cls, pairs):
        return super().__new__(cls, (value for _, value in pairs))


if __name__ == "__main__":
    sys.exit(main())
