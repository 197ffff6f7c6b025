"""One case: what the driver is asked, and what it must answer."""
from driver import DONE, REFUSED


class Case:
    __slots__ = ("fields", "expected", "is_right")

    def __init__(self, fields, expected, is_right):
        self.fields = fields
        self.expected = expected  # for the report
        self.is_right = is_right


def gives(fields, *answer):
    """The driver must answer with exactly these fields."""
    answer = [bytes(field) for field in answer]
    return Case(fields, " | ".join(field.hex() for field in answer), lambda a: a.status == DONE and a.fields == answer)


def refuses(fields):
    """The driver must throw a typed error."""
    return Case(fields, "refused", lambda a: a.status == REFUSED)


def gives_or_refuses(fields, answer):
    return refuses(fields) if answer is None else gives(fields, answer)


def accepts(fields, is_valid):
    """The driver must say whether something is valid. A value that it refuses to take at all is not."""
    if is_valid:
        return gives(fields, b"\x01")
    return Case(fields, "not valid", lambda a: a.status == REFUSED or a.fields == [b"\x00"])


def satisfies(fields, what, check):
    """The answer has one field, which the peer must take."""
    return Case(fields, what, lambda a: a.status == DONE and len(a.fields) == 1 and check(a.fields[0]))
