"""A user's script. test_errors.py has a type checker read it: it must find the two errors, and no others."""

from decimal import Decimal

import polars

import fecscan

rows = fecscan.scan("indiv18.zip", columns=["NAME", "amount"], where="STATE = 'CA'")
frame: polars.DataFrame = rows.to_polars()
lazy: polars.LazyFrame = rows.to_lazy()
groups: fecscan.Groups = rows.by("date_trunc('month', date) AS month", sum="amount", top=3)
names: list[str] = groups.columns
total: Decimal = fecscan.by("indiv18.zip", "STATE", sum="amount")[0]["sum(amount)"]
lines: int = fecscan.report("indiv18.zip", top=2)["lines"]
rows.by("STATE", mean="amount")  # type: ignore[call-arg]
fecscan.scan("indiv18.zip", schema="wrong")  # type: ignore[arg-type]
