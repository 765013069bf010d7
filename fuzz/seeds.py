"""Writes inputs to begin with into fuzz/corpus, of which a fuzzer would not think: questions, keys of joined files, checksums.

The last bytes of an input choose the way to work, as the functions in fuzz/src read them.
"""
import gzip
import io
import os
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def seed(target, name, data):
    folder = os.path.join(HERE, "corpus", target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "seed-" + name), "wb") as file:
        file.write(data)


with open(os.path.join(HERE, "..", "fixtures", "plain.txt"), "rb") as file:
    text = file.read()[:300]

# Conditions in the first line, then rows. Column and form; level, task, size of tasks.
for number, condition in enumerate([b"STATE IN ('CA', 'NY') AND amount >= 50", b"TRANSACTION_DT < '2018-03-01'", b"#8 ~ '(?i), j.*a'",
                                        b"zip LIKE '9%' OR state <> 'OR' AND NOT NAME LIKE 'A%'"]):
    seed("conditions", str(number), condition + b"\n" + text + bytes([9, 1, 0, 200, 1]))
# Keys in the first line, then rows. Form, order, head, keys, aggregates; level, task, size of tasks.
for number, keys in enumerate([b"STATE", b"month(date) AS m, #10", b"LAST_NAME(name),zip5(zip),left(image, 4)"]):
    seed("groups", str(number), keys + b"\n" + text + bytes([0, 2, 200, 9, 22, 25, 0, 5, 108, 0, 90, 0]))
for form in 1, 2, 4, 5:
    seed("groups", f"made{form}", text + bytes([form, 2, 200, 9, 22, 25, 0, 5, 108, 0, 90, 0]))
# Form, format, head, keys; level, task, size of tasks.
for form in 0, 1, 2, 8, 10, 16:
    for format in range(8):
        seed("exports", f"{form}-{format}", text + bytes([form, format, 200, 14, 13, 20, 7, 22, 26, 0, 90, format]))

# Values of each kind; columns, bytes behind texts.
kinds = [b"key", b"\"\\\x1f\xe9", b"N", b"I-7", b"D\x03-1234", b"R", b"x" * 70]
seed("rows", "kinds", b"\x1e".join(kinds) + bytes([2, 80]))

# Rows of indiv, cm, ccl and cn.
row = "C{0}|N|Q1|P|201801019000000001|15|IND|ROE, JO|TOWN|CA|90049|||01012018|{0}0||1|2|||3\n"
joined = [
    "".join(map(row.format, (1, 2, 1, 3, 9))),
    "C1|PIE, ANN|T|||TOWN|CA|900491234|P|H|DEM|Q|C|PIE|H1\nC2|CAKE|T|||TOWN|NY|10001|P|S|REP|Q||CAKE|H2\nC3|TEA||||||||||||||\n",
    "H1|2018|2018|C1|H|P|1\nH2|2018|2018|C3|S|A|2\n",
    "H1|PIE, ANN|DEM|2018|CA|H|01|I|C|C1|||TOWN|CA|90049\nH2|CAKE, BOB|REP|2018|NY|S|00|C|C|C2|||TOWN|NY|10001\n",
]
# Form, order, the condition's column, operator and value, keys; level, task, size of tasks.
for files in 2, 3, 4:
    for form in range(4):
        data = "\x1e".join(joined[:files]).encode()
        seed("joins", f"{files}-{form}", data + bytes([form, 18 * form, 1, form, 0, form, 9, 3 * files, 200, 0, 90, 0]))

# Archives, whose checksums fit.
ways = bytes(3)
seed("archive", "gzip", gzip.compress(text, mtime=0) + gzip.compress(b"", mtime=0) + ways)
seed("archive", "zstd", b"\x28\xb5\x2f\xfd\x00\x00" + (8 * len(text) + 1).to_bytes(3, "little") + text + ways)
for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name in "a.txt", "b.txt":
            archive.writestr(zipfile.ZipInfo(name), text, method)
    seed("archive", f"zip{method}", made.getvalue() + ways)
