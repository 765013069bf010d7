"""The values of random cells: plain ones, and those that are odd in some way."""

NUMBERS = [b"0", b"1", b"5", b"10", b"20", b"25", b"100", b"250", b"500", b"500.00", b"2700", b"-250", b"-1", b"0.01", b"-0.01", b"12.5", b"3.14",
           b"99999999", b"-12345678.9", b"007"]
ODD_NUMBERS = [b"", b"", b"n/a", b"1,000", b"1.234", b"-", b"+5", b".5", b"5.", b" 7 ", b"1e3", b"--1", b"-0", b"99999999999999.99", b"999999999999.99",
               b"12345678901234567890", b"0.123456789", b"0.000000000001", b"123456789012345.6", b"1 2", b"NaN", b"0x10", b"$5"]
ODD_DATES = [b"", b"", b"13992018", b"02302018", b"abc", b"0", b"00000000", b"2018-02-30", b"99/99/2018", b"1312018", b"201801311", b" ",
             b"2/30/2018", b"1/5/18", b"2018-1-5 x", b"01012018 12:00", b"0/1/2018", b"12311299", b"02300000", b"1-5-2018"]
WORDS = [b"CA", b"NY", b"TX", b"ca", b"a", b"b", b"Ann", b"ROE, ANN", b"count", b"key", b"sum(x)", b"y=count", b"x", b"(empty)", b"a b", b"0", b"00",
         b"1", b"-1", b"2018", b"2018-01-31", b"#1", b"=1+1", b"*", b"{x}", b"a||b", b"it's", b"'q'", b"x\"y", b"\\n", b"a\\", b"<b>&amp;</b>",
         b"$HOME", b"%s", b"null", b"None"]
ODD_WORDS = [b"", b"", b"", b" lead", b"trail ", b" ", b"a,b", b"a;b", b"a\tb", b"a|b", b"\x1b[2J", b"\x00", b"\x01\x7f", b"a\rb", b"x" * 70, b"y" * 300,
             b"_x0041_", b"=cmd()", b"+1", b"@x", b"\x0bv\x0c"]
WIDE = ["é", "Ünï", "北京市", "日本", "e\u0301", "Ωmega", "😀", "\u202eabc", "ñandú"]
NO_TEXT = [b"\xff", b"\xe9t\xe9", b"\x80\x81", b"caf\xe9", b"\xc3", b"\xf0\x9f", b"\xa0x"]


def draw_values(rng, column, pool, codec, delimiter, size):
    """Returns the values that cells of a column are drawn from."""
    values = []
    plain = lambda choices: values.extend(rng.choice(choices) for _ in range(size))
    if column.kind == "number" or column.kind == "untyped" and rng.random() < 0.5:
        plain(NUMBERS)
        if size > 20:
            values.extend(b"%d" % rng.randrange(-10_000, 1_000_000) for _ in range(size))
            values.extend(b"%d.%02d" % (rng.randrange(10_000), rng.randrange(100)) for _ in range(size))
        if column.decimals not in (0, 2):
            values.extend(b"%.*f" % (rng.randrange(column.decimals + 1), rng.randrange(-9999, 9999) / 1000) for _ in range(size))
        odd = ODD_NUMBERS
    elif column.kind == "date":
        values.extend(draw_date(rng, column) for _ in range(2 * size))
        odd = ODD_DATES
    elif column.kind == "untyped" and rng.random() < 0.3:
        values.extend(b"%d-%02d-%02d" % (rng.randrange(2016, 2020), rng.randrange(1, 13), rng.randrange(1, 29)) for _ in range(size))
        odd = [b"", b"n/a", b"2018-02-30"]
    else:
        if pool:
            plain(pool)
        if not pool or rng.random() < 0.3:
            plain(WORDS)
        odd = ODD_WORDS + (WIDE_BYTES if codec == "utf-8" else NO_TEXT)
    if rng.random() < 0.5:
        values.extend(rng.choice(odd) for _ in range(1 + size // 4))
    return [value for value in values if delimiter not in value and b"\n" not in value] or [b""]


WIDE_BYTES = [text.encode() for text in WIDE]


def draw_date(rng, column):
    year, month, day = rng.choice((2016, 2017, 2018, 2018, 2018, 2020)), rng.randrange(1, 13), rng.randrange(1, 29)
    if rng.random() < 0.05:
        year, month, day = 2020, 2, 29
    forms = {"TRANSACTION_DT": b"%02d%02d%04d", "CVG_END_DT": b"%02d/%02d/%04d"}
    form = forms.get(column.name)
    if form is None or rng.random() < 0.05:
        form = rng.choice((b"%02d%02d%04d", b"%02d/%02d/%04d", b"%d/%d/%04d", b"%d/%d/%04d 9:05", b"%02d/%02d/%04dT23:59:59Z",
                           "iso", "iso", "short", "time", "digits"))
    if isinstance(form, bytes):
        return form % (month, day, year)
    iso = b"%04d-%02d-%02d" % (year, month, day)
    short = b"%04d-%d-%d" % (year, month, day)
    return {"iso": iso, "short": short, "time": iso + b" 12:30:00", "digits": iso.replace(b"-", b"")}[form]


