"""Fills a provider's database with users and logins, as years of use would: copies of a user and a login that the provider has made itself."""

import json
import os
import secrets
import sqlite3
import sys
import time

LOGINS = 10


def text(count):
    return secrets.token_urlsafe(count)


def fill(provider, users):
    """So many users, each with ten logins that can be renewed."""
    import load  # the way that a client logs in

    provider.start()
    bench = load.Bench(provider, None)
    bench.log_in(bench.client("Model"), 99)
    provider.stop()
    began = time.monotonic()
    database = sqlite3.connect(os.path.join(provider.folder, "provider.sqlite"), isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")

    def columns(table):
        return [row[1] for row in database.execute(f"PRAGMA table_info({table})")]

    def model(table, where):
        names = columns(table)
        return dict(zip(names, database.execute(f"SELECT {', '.join(names)} FROM {table} WHERE {where}").fetchone()))

    account = model("accounts", "username = 'alice99'")
    family = {name: value for name, value in model("families", "1 ORDER BY number DESC").items() if name != "number"}
    document = json.loads(family["document"])

    def insert(table, row):
        return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"

    adds = insert("accounts", account), "INSERT INTO users (id, isActive) VALUES (?, 1)", insert("families", family)
    clients = [text(12) for _ in range(50)]
    names = {name: find(document, family[name].decode()) for name in ("subject", "client", "session") if family[name]}
    identifier = find_id(document, family["id"])
    for start in range(0, users, 10_000):
        accounts, states, families = [], [], []
        for number in range(start, min(users, start + 10_000)):
            name, user = f"user{number}", text(16)
            accounts.append(tuple({
                **account, "id": user, "username": name, "usernameKey": name.encode(), "email": name + "@example.com"}.values()))
            states.append((user.encode(),))
            for login in range(LOGINS):
                row = dict(family, id=secrets.token_bytes(16), subject=user.encode(), client=clients[(number + login) % 50].encode())
                row["session"] = text(16).encode() if family["session"] else None
                for field, path in names.items():
                    put(document, path, row[field].decode())
                put(document, identifier, encode(row["id"]))
                row["document"] = json.dumps(document, separators=(",", ":")).encode()
                families.append(tuple(row.values()))
        database.execute("BEGIN")
        for statement, rows in zip(adds, (accounts, states, families)):
            database.executemany(statement, rows)
        database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    print(f"{users:,} users and {users * LOGINS:,} logins that can be renewed, made in {time.monotonic() - began:.0f} s\n", flush=True)


def encode(octets):
    import base64
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def paths(value, path=()):
    if isinstance(value, dict):
        for name, member in value.items():
            yield from paths(member, path + (name,))
    elif isinstance(value, str):
        yield path, value


def find(document, wanted):
    """Where a text stands in a document."""
    found = [path for path, value in paths(document) if value == wanted]
    if len(found) != 1:
        sys.exit("the database has another form than this expects")
    return found[0]


def find_id(document, octets):
    return find(document, encode(octets))


def put(document, path, value):
    for name in path[:-1]:
        document = document[name]
    document[path[-1]] = value
