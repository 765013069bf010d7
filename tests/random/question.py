"""Random questions, as values: what is asked, and how the program is told to work. `sql.py` and `args.py` render them."""
from dataclasses import dataclass

BASE, ORIGIN = -1, -2
# Types of columns in conditions.
TEXT, DECIMAL, WHOLE, DATE = "VARCHAR", "DECIMAL", "BIGINT", "DATE"
PRECEDENCE = {"OR": 1, "AND": 2, "NOT": 3}


@dataclass(frozen=True)
class Col:
    """A column of the rows, of an input, or of the joined table with this number."""
    table: int
    nth: int
    name: str
    kind: str
    decimals: int = 2
    # The type of its values in conditions.
    type: str = ""

    @property
    def values(self):
        return self.kind


@dataclass(frozen=True)
class Call:
    """A function of a column, or of another call."""
    name: str
    of: object
    arguments: tuple = ()

    @property
    def kind(self):
        return {"len": "whole", "weekday": "whole", "bin": "bin"}.get(self.name, "text")

    @property
    def table(self):
        return self.of.table

    @property
    def values(self):
        """Returns the kind by whose values a key is ordered. Blanks are no part of a number."""
        return self.of.values if self.name == "trim" else self.kind


@dataclass(frozen=True)
class Condition:
    """Words of SQL, with columns and other conditions between them; or conditions, which the operator connects."""
    # AND, OR, NOT, or what stands behind a condition in parentheses, such as IS TRUE.
    operator: str
    parts: tuple
    # Whether to refuse the condition is the right answer.
    is_misuse: bool = False

    def text(self, name, spelled=str):
        """Returns the condition as SQL, with the names that `name` returns for columns, and as few parentheses as the operators need.

        `spelled` writes the operators in another way."""
        if not self.operator:
            return "".join(part if isinstance(part, str) else part.text(name, spelled) if isinstance(part, Condition) else name(part)
                           for part in self.parts)
        rank = PRECEDENCE.get(self.operator, 4)
        parts = [part.text(name, spelled) for part in self.parts]
        parts = [f"({text})" if rank == 4 or part.operator and PRECEDENCE.get(part.operator, 4) < rank else text
                 for part, text in zip(self.parts, parts)]
        if self.operator == "NOT":
            return f"{spelled('NOT')} {parts[0]}"
        return f" {spelled(self.operator)} ".join(parts) if rank < 3 else f"{parts[0]} {spelled(self.operator)}"

    def columns(self):
        """Yields the columns between the words."""
        for part in self.parts:
            if isinstance(part, Condition):
                yield from part.columns()
            elif isinstance(part, Col):
                yield part



@dataclass(frozen=True)
class Made:
    """What an expression of SQL makes, as text. The condition has its words, and the columns between them."""
    of: Condition
    nth: int

    kind = "made"

    def text(self, name):
        return f"CAST({self.of.text(name)} AS VARCHAR)"


@dataclass(frozen=True)
class Item:
    """A key or an aggregate of `by`: an expression, perhaps with a name."""
    of: Condition
    name: str = ""
    # Whether it is what --sum adds up.
    is_sum: bool = False


@dataclass(frozen=True)
class Order:
    # "count", or the number of a key or of an aggregate
    by: str
    nth: int = 0
    direction: str = ""
    # Whether it is named by its name, if it has one, by its expression, or by its number.
    spelled: str = "name"


@dataclass(frozen=True)
class Settings:
    threads: int = 1
    level: str = "portable"
    io: str = "read"
    task_bytes: int = 0
    # The ranges of a plain file whose partials are merged, the parts of several files, or none.
    cuts: tuple = ()
    by_file: bool = False
    # Whether each partial spells the conditions in another way.
    respelled: bool = False
    piped: bool = False
    slices: str = ""
    # Whether the statement that `by` is short for is asked instead.
    as_statement: bool = False


@dataclass(frozen=True)
class Question:
    command: str
    form: str
    keys: tuple = ()
    aggregates: tuple = ()
    # All must be true.
    conditions: tuple = ()
    contributions: bool = False
    orders: tuple = ()
    # Whether aggregates and orders are one list each, and not one option each.
    in_lists: bool = False
    max_groups: int = None
    limit: int = None
    columns: tuple = ()
    types: str = ""
    joins: tuple = ()
    names: tuple = ()
    months: str = ""
    # What makes the command line one to refuse: the words that are added to it, or that take the place of files.
    misuse: str = ""
    settings: Settings = Settings()

    @property
    def is_misuse(self):
        return bool(self.misuse) or any(condition.is_misuse for condition in self.conditions)
