"""What clients asked several providers, when, and what they were told: a history, and the judge of it. history.py --self-test

An operation that was not answered, or by 502 or 503, may have happened or not, at once or later: nothing is concluded from it that
isn't so either way. Whatever else is answered has happened between its beginning and its end.
"""

import dataclasses
import hashlib
import json
import sys
import threading
import time

# For how many seconds, and how often, the provider takes a predecessor again. A code's life. How many logins of one
# user one client may have: more end the oldest.
GRACE, REPLAYS, CODE_LIFETIME, LOGINS = 60, 10, 60, 20
# By how much machines may disagree about these.
MARGIN = 25
FORESEEN = {200, 201, 302, 303, 400, 401, 429, 502, 503}


def short(secret):
    """A name for a token: a history may be shown."""
    return hashlib.sha256(secret.encode()).hexdigest()[:12]


@dataclasses.dataclass
class Operation:
    """`kind`: login, redeem, refresh, use, revoke, once. `name`: the code, token or `jti` that was presented; `gives`: the token that
    came. `user` is who logged in, `subject` whom the answer is about."""

    kind: str
    client: str
    node: int
    name: str
    user: str = None
    start: float = 0
    end: float = None
    outcome: str = "unknown"
    status: int = None
    error: str = None
    gives: str = None
    subject: str = None

    @property
    def last(self):
        """By when it has happened, if it has: an answer that didn't come says nothing of that."""
        return self.end if self.outcome != "unknown" else float("inf")

    def answered(self, status, error=None, gives=None, subject=None):
        self.status, self.error, self.subject = status, error, subject
        if status in (200, 201, 302, 303):
            self.outcome, self.gives = "ok", gives and short(gives)
        elif status in (502, 503):
            self.outcome = "unknown"
        else:
            self.outcome = "refused"


class History:
    def __init__(self):
        self.operations, self.undone, self.lock = [], [], threading.Lock()
        # Providers whose clocks are wrong, which may refuse a proof for its time.
        self.astray = set()

    def begin(self, kind, client, node, name, user=None):
        operation = Operation(kind, client, node, short(name), user, time.monotonic())
        with self.lock:
            self.operations.append(operation)
        return operation

    @staticmethod
    def name(secret):
        return short(secret)

    @staticmethod
    def finish(operation):
        operation.end = time.monotonic()

    def undo(self, since, until):
        """A database took over that may not have what was acknowledged between these moments."""
        self.undone.append((since, until))

    def write(self, path):
        with open(path, "w") as file:
            for operation in self.operations:
                file.write(json.dumps(dataclasses.asdict(operation)) + "\n")

    def check(self):
        """What must not be: each violation with the operations that show it. And how many more a takeover explains."""
        with self.lock:
            found = Judge(list(self.operations), self.astray).violations()
        bad = [violation for violation in found if not self._is_undone(violation)]
        return bad, len(found) - len(bad)

    def _is_undone(self, violation):
        """Whether what it rests on was acknowledged, in part, when a takeover could undo it, and it was seen afterwards. An answer may
        rest on a commit of before the takeover, and come after it."""
        return any(
            any(operation.start <= until and since <= operation.end for operation in violation.shows if operation.end)
            and any(operation.last >= until for operation in violation.shows) for since, until in self.undone)


@dataclasses.dataclass
class Violation:
    what: str
    shows: list

    def __str__(self):
        return self.what + "".join("\n    " + describe(operation) for operation in self.shows)


def describe(operation):
    end = f"{operation.end:.3f}" if operation.end else "..."
    words = [f"{operation.start:.3f} to {end}", operation.client, f"node {operation.node}", operation.kind, operation.name,
             operation.outcome]
    for value in (operation.status, operation.error, operation.gives and "gives " + operation.gives, operation.subject):
        words += [str(value)] if value else []
    return " ".join(words)


class Judge:
    def __init__(self, operations, astray=()):
        operations = [
            operation for operation in operations
            if operation.node not in astray or operation.error != "invalid_dpop_proof"]
        self.operations = sorted(operations, key=lambda operation: operation.start)
        self.by_name = {}
        for operation in self.operations:
            self.by_name.setdefault((operation.kind, operation.name), []).append(operation)
        # The operation that gave a token first; the first token of its family.
        self.given, self.root = {}, {}
        for operation in self.operations:
            if operation.kind in ("redeem", "refresh") and operation.outcome == "ok" and operation.gives:
                self.given.setdefault(operation.gives, operation)
        # In the order of time, so that the root of what a token was given for is known.
        for token, giver in self.given.items():
            self.root[token] = self.root.get(giver.name, token) if giver.kind == "refresh" else token
        self.families, self.ends, self.logins = {}, {}, {}
        for operation in self.operations:
            if operation.kind == "redeem" and operation.outcome != "refused":
                self.logins.setdefault(operation.client, []).append(operation)
            if operation.kind in ("refresh", "use", "revoke") and operation.name in self.root:
                self.families.setdefault(self.root[operation.name], []).append(operation)
                if operation.kind == "revoke" and operation.outcome != "refused":
                    self.ends.setdefault(self.root[operation.name], []).append(operation)

    def presented(self, token, kind="refresh"):
        return self.by_name.get((kind, token), [])

    def violations(self):
        found = []
        for operation in self.operations:
            found += self._of_answer(operation)
        for (kind, name), operations in self.by_name.items():
            if kind == "refresh":
                found += self._of_token(name, operations)
            elif kind == "redeem":
                found += self._of_code(operations)
            elif kind == "once":
                found += self._of_once(operations)
        for operations in self.families.values():
            for operation in operations:
                if operation.outcome == "refused" and operation.kind != "revoke" and not self._is_explained(operation):
                    found.append(Violation("acknowledged and lost: a token was refused", [self.given[operation.name], operation]))
        return found

    def _of_answer(self, operation):
        if operation.status and operation.status not in FORESEEN:
            yield Violation(f"an answer that is not foreseen: {operation.status}", [operation])
        if operation.subject and operation.user and operation.subject != operation.user:
            yield Violation(f"a login of another user: {operation.user} is told of {operation.subject}", [operation])

    def _of_token(self, token, operations):
        good = [operation for operation in operations if operation.outcome == "ok"]
        if len({operation.gives for operation in good}) > 1:
            yield Violation("valid twice: one token has two successors", good)
        for operation in good:
            # A token is used up once its successor was used.
            for successor in {other.gives for other in good}:
                used = [other for other in self.presented(successor) if other.outcome == "ok" and other.end < operation.start]
                if used:
                    yield Violation("valid twice: a token and the successor of its successor", [*used[:1], operation])
            for ended in self._ends(token):
                if ended.outcome == "ok" and ended.end < operation.start:
                    yield Violation("a token is good that was revoked", [ended, operation])
            yield from self._after_reuse(token, operation)

    def _after_reuse(self, token, operation):
        """A code that comes twice ends what it gave (RFC 6749 section 4.1.2)."""
        first = self.given.get(self.root.get(token))
        if first is None or first.kind != "redeem":
            return
        for again in self.presented(first.name, "redeem"):
            if again.outcome == "refused" and max(again.end, first.end) < operation.start:
                yield Violation("a token is good whose code came twice", [first, again, operation])

    def _of_code(self, operations):
        good = [operation for operation in operations if operation.outcome == "ok"]
        if len(good) > 1:
            yield Violation("a code was redeemed twice", good)
        for operation in operations:
            if operation.outcome != "refused" or any(
                    other is not operation and other.start < operation.end for other in operations):
                continue
            issued = self.presented(operation.name, "login")
            if issued and operation.end - issued[0].start < CODE_LIFETIME - MARGIN:
                yield Violation("acknowledged and lost: a code was refused that was never used", [issued[0], operation])

    def _of_once(self, operations):
        good = [operation for operation in operations if operation.outcome == "ok"]
        if len(good) > 1:
            yield Violation("what may be used once was taken twice", good)
        for operation in operations:
            if operation.outcome == "refused" and not any(
                    other is not operation and other.start < operation.end for other in operations):
                yield Violation("what may be used once was refused at first", [operation])

    def _ends(self, token):
        """What has ended, or may have, the family of a token: it was revoked."""
        return self.ends.get(self.root.get(token), [])

    def _is_explained(self, refused):
        token = refused.name
        if any(operation.start < refused.end for operation in self._ends(token)):
            return True
        first = self.given[self.root[token]]
        if first.kind == "redeem" and any(
                again is not first and again.start < refused.end for again in self.presented(first.name, "redeem")):
            return True
        newer = [
            other for other in self.logins.get(refused.client, [])
            if other is not first and first.start - MARGIN < other.start < refused.end]
        if len(newer) >= LOGINS:
            return True
        # Somebody presented what was used up, this operation among them: that ends the family.
        return any(
            self._is_reuse(operation, refused.end) for operation in self.families[self.root[token]]
            if operation.kind == "refresh" and operation.outcome != "ok" and operation.start < refused.end)

    def _is_reuse(self, operation, until):
        """Whether what it presents may have been out of the provider's grace, when that came to pass until a moment."""
        last = min(operation.last, until)
        others = [other for other in self.presented(operation.name) if other is not operation]
        before = [other for other in others if other.start < last]
        if len(before) >= REPLAYS or any(last - other.start > GRACE - MARGIN for other in before):
            return bool(before)
        for successor in {other.gives for other in others if other.gives}:
            if any(other.start < last for other in self.presented(successor)):
                return True
        return False


def self_test():
    """Histories with a fault, which must be found, and their like without it."""

    def run(*steps, undone=()):
        history = History()
        for number, (kind, name, more) in enumerate(steps):
            operation = Operation(
                kind, "c", number % 2, name, more.get("user"), more.get("start", number), more.get("end", number + 0.5),
                more.get("outcome", "ok"), more.get("status"), None, more.get("gives"), more.get("subject"))
            history.operations.append(operation)
        for window in undone:
            history.undo(*window)
        return history.check()

    def others(count):
        return [("redeem", f"y{number}", {"gives": f"z{number}", "start": 5, "end": 6}) for number in range(count)]

    login, code = ("login", "x", {}), ("redeem", "x", {"gives": "a"})
    lost = {"outcome": "refused"}
    no = {"outcome": "unknown", "end": None}
    chain = [login, code, ("refresh", "a", {"gives": "b"}), ("refresh", "b", {"gives": "c"})]
    good = {
        "a chain": chain,
        "an answer that got lost": [*chain[:2], ("refresh", "a", no), ("refresh", "a", {"gives": "b"})],
        "a predecessor twice": [*chain[:3], ("refresh", "a", {"gives": "b"})],
        "the end after a reuse": [*chain, ("refresh", "a", lost), ("refresh", "c", lost)],
        "a reuse without an answer": [*chain, ("refresh", "a", no), ("refresh", "c", lost)],
        "a revoked token": [*chain, ("revoke", "c", {}), ("refresh", "c", lost)],
        "a revocation without an answer": [*chain, ("revoke", "c", no), ("refresh", "c", lost)],
        "a code that comes twice": [login, code, ("redeem", "x", lost), ("refresh", "a", lost)],
        "a code whose answer got lost": [login, ("redeem", "x", no), ("redeem", "x", lost)],
        "a name twice": [("once", "j", {}), ("once", "j", lost)],
        "a name whose answer got lost": [("once", "j", no), ("once", "j", lost)],
        "a token that waited after its answer got lost": [
            *chain[:2], ("refresh", "a", no), ("refresh", "a", {**lost, "start": 90, "end": 91})],
        "a login too many": [*chain, *others(20), ("refresh", "c", {**lost, "start": 9, "end": 10})],
        "the right user": [("use", "a", {"user": "u", "subject": "u"})],
    }
    bad = {
        "two successors": [*chain[:3], ("refresh", "a", {"gives": "d"})],
        "an old token": [*chain, ("refresh", "a", {"gives": "b"})],
        "a lost token": [*chain, ("refresh", "c", lost)],
        "a lost token that an answer got lost of": [*chain[:2], ("refresh", "a", no), ("refresh", "a", lost)],
        "an access token lost": [*chain, ("use", "c", lost)],
        "lost, though a predecessor was answered well": [*chain[:3], ("refresh", "a", {"gives": "b"}), ("refresh", "b", lost)],
        "lost, with a revocation later": [*chain, ("refresh", "c", lost), ("revoke", "c", {})],
        "a revoked token that is good": [*chain, ("revoke", "c", {}), ("refresh", "c", {"gives": "d"})],
        "a code twice": [login, code, ("redeem", "x", {"gives": "d"})],
        "lost beside other logins": [*chain, *others(19), ("refresh", "c", {**lost, "start": 9, "end": 10})],
        "a token whose code came twice": [login, code, ("redeem", "x", lost), ("refresh", "a", {"gives": "b"})],
        "a code refused at first": [login, ("redeem", "x", lost)],
        "a name taken twice": [("once", "j", {}), ("once", "j", {})],
        "a name refused at first": [("once", "j", lost)],
        "another user": [("use", "a", {"user": "u", "subject": "v"})],
        "an answer that isn't foreseen": [("use", "a", {"status": 500})],
    }
    for name, steps in good.items():
        found, _ = run(*steps)
        if found:
            sys.exit(f"FAILED: {name}: {found[0]}")
    for name, steps in bad.items():
        found, _ = run(*steps)
        if not found:
            sys.exit(f"FAILED: {name} was not found")
    # A takeover explains what was acknowledged shortly before it, and nothing that came earlier or later.
    for window, count in (((3.1, 3.8), 0), ((2.9, 3.2), 0), ((1, 2), 1), ((8, 9), 1)):
        found, undone = run(*chain, ("refresh", "c", lost), undone=[window])
        if (len(found), undone) != (count, 1 - count):
            sys.exit(f"FAILED: a takeover at {window}: {len(found)} violations, {undone} explained")
    print(f"{len(bad)} planted faults were found in histories, and nothing in {len(good)} without one")


if __name__ == "__main__":
    if sys.argv[1:] != ["--self-test"]:
        sys.exit(__doc__)
    self_test()
