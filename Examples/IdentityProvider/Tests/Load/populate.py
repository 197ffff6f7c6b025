"""Fills a provider's database with users and logins, as years of use would: copies of a user and a login that the provider has made itself."""

import os
import secrets
import sqlite3
import struct
import sys
import time

LOGINS = 10
KIND = "refresh-token-family"


def text(octets):
    """As long as a name of the provider's that is made of so many octets."""
    return secrets.token_urlsafe(octets).encode()


def fill(provider, users):
    """So many users, each with ten logins that can be renewed."""
    import load  # the way that a client logs in

    provider.start()
    bench = load.Bench(provider, None)
    bench.log_in(bench.client("Model"), 99)
    provider.stop()
    began = time.monotonic()
    database = sqlite3.connect(os.path.join(provider.folder, "provider.sqlite"), isolation_level=None)
    database.row_factory = sqlite3.Row
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA cache_size = -1000000")

    def model(table, where, *values):
        return dict(database.execute(f"SELECT * FROM {table} WHERE {where}", values).fetchone())

    def insert(table, row):
        return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"

    account = model("accounts", "username = 'alice99'")
    state = model("records", "kind = 'user' AND key = ?", account["id"].encode())
    family = model("records", "kind = ? ORDER BY number DESC", KIND)
    entries = [dict(row) for row in database.execute("SELECT * FROM recordIndexes WHERE record = ?", (family["number"],))]
    # What is another's in each copy. All names of a sort have one length, so that they are put in each other's place.
    names = {entry["name"].decode(): entry["value"] for entry in entries}
    own = [names[name] for name in ("subject", "client", "session", "grant")]
    if own[0] != account["id"].encode() or family["document"] != sealed(family["document"][:-8]):
        sys.exit("the database has another form than this expects")
    adds = [insert(table, row) for table, row in (
        ("accounts", account), ("records", state), ("records", family), ("recordIndexes", entries[0]))]
    number = database.execute("SELECT max(number) FROM records").fetchone()[0]
    clients = [text(12) for _ in range(50)]
    for start in range(0, users, 10_000):
        accounts, states, families, indexes = [], [], [], []
        for index in range(start, min(users, start + 10_000)):
            name, user = f"user{index}", text(16)
            accounts.append(tuple({
                **account, "id": user.decode(), "username": name, "usernameKey": name.encode(), "email": name + "@example.com",
            }.values()))
            number += 1
            states.append(tuple({**state, "number": number, "key": user}.values()))
            for login in range(LOGINS):
                number += 1
                key = secrets.token_bytes(16)
                news = [(family["key"], key), *zip(own, (user, clients[(index + login) % 50], text(16), text(16)))]
                families.append(tuple({
                    **family, "number": number, "key": key, "document": sealed(put(family["document"][:-8], news)),
                    "indexes": put(family["indexes"], news[1:])}.values()))
                indexes += [
                    tuple({**entry, "value": put(entry["value"], news[1:]), "record": number}.values()) for entry in entries]
        database.execute("BEGIN")
        for statement, rows in zip(adds, (accounts, states, families, indexes)):
            database.executemany(statement, rows)
        database.execute("COMMIT")
    # The provider must know what was made: these logins end.
    first = database.execute("SELECT id FROM accounts WHERE username = 'user0'").fetchone()[0].encode()
    count = "SELECT count(*) FROM recordIndexes WHERE kind = ? AND name = ? AND value = ?", (KIND, b"subject", first)
    made = database.execute(*count).fetchone()[0]
    provider.command("user", "change", "user0", "--remove-second-factor")
    if made != LOGINS or database.execute(*count).fetchone()[0]:
        sys.exit("the provider doesn't know the logins that were made")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    print(f"{users:,} users and {users * LOGINS:,} logins that can be renewed, made in {time.monotonic() - began:.0f} s\n", flush=True)


def put(octets, news):
    """The octets with names in the place of others."""
    for old, new in news:
        if len(old) != len(new):
            sys.exit(f"names have another length than this expects: {len(old)}, not {len(new)}")
        octets = octets.replace(old, new)
    return octets


def sealed(octets):
    """A document with its check: see StoredOctets."""
    check, words = len(octets), len(octets) // 8
    last = int.from_bytes(octets[words * 8:], "big")
    for word in (*struct.unpack_from(f">{words}Q", octets), last):
        check = (check ^ word) * 0x9E37_79B9_7F4A_7C15 & 0xFFFF_FFFF_FFFF_FFFF
        check ^= check >> 32
    return octets + check.to_bytes(8, "big")
