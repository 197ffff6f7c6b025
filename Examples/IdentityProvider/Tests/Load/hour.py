"""A long time of all kinds of requests, at a modest rate: what the provider's memory and its file come to."""

import base64
import http.client
import os
import pathlib
import re
import threading
import time
import urllib.parse

REDIRECT_URI = "https://client.example/callback"


class Visitor:
    """One connection: a client's login that is renewed, and a browser that is logged in."""

    def __init__(self, bench, number):
        self.bench, self.number = bench, number
        self.client = bench.client(f"Visitor {number}")
        tokens = bench.log_in(self.client, number)
        self.token, self.refresh_token = tokens["access_token"], tokens["refresh_token"]
        cookies = bench.person(number).browser.cookies
        self.cookies = "; ".join(f"{name}={value}" for name, (value, _) in cookies.items())
        self.requests = self.logins = 0
        self.refused = []
        target = urllib.parse.urlsplit(bench.provider.address)
        self.connection = http.client.HTTPConnection(target.hostname, target.port, timeout=60)

    def ask(self, expected, method, path, headers=None, **fields):
        """The answer's fields and octets. Another status than the one expected is a refusal."""
        body = urllib.parse.urlencode(fields) or None
        headers = dict(headers or {})
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self.requests += 1
        try:
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            text = answer.read().decode()
            if answer.status != expected:
                self.refused.append(f"{path.partition('?')[0]}: {answer.status}")
            return answer.headers, text
        except (OSError, http.client.HTTPException) as error:
            self.refused.append(f"{path.partition('?')[0]}: {error!r}")
            self.connection.close()
            return {}, ""

    def turn(self):
        """One request of each kind."""
        credentials = {"Authorization": self.client[1]}
        _, text = self.ask(200, "POST", "/token", credentials, grant_type="refresh_token", refresh_token=self.refresh_token)
        self.token = member(text, "access_token") or self.token
        self.refresh_token = member(text, "refresh_token") or self.refresh_token
        token = self.token[:-1] if self.bench.arguments.plant else self.token
        _, text = self.ask(200, "POST", "/introspect", credentials, token=token)
        if not re.search(r'"active" *: *true', text):
            self.refused.append("/introspect: not active")
        self.ask(200, "GET", "/userinfo", {"Authorization": "Bearer " + self.token})
        self.ask(200, "GET", "/login")
        parameters = urllib.parse.urlencode({
            "client_id": self.client[0], "response_type": "code", "redirect_uri": REDIRECT_URI, "state": "s", "nonce": "n",
            "scope": "openid profile"})
        fields, _ = self.ask(303, "GET", "/authorize?" + parameters, {"Cookie": self.cookies})
        code = re.search(r"[?&]code=([^&]+)", fields.get("Location") or "")
        if code:
            self.ask(
                200, "POST", "/token", credentials, grant_type="authorization_code", code=urllib.parse.unquote(code[1]),
                redirect_uri=REDIRECT_URI)
            self.logins += 1

    def work(self, end, pause):
        while time.monotonic() < end:
            self.turn()
            time.sleep(pause)


def member(text, name):
    found = re.search(rf'"{name}" *: *"([^"]+)"', text)
    return found and found[1]


def sizes(provider):
    """MiB of memory, MB of database."""
    memory = re.search(r"VmRSS:\s*(\d+)", pathlib.Path(f"/proc/{provider.process.pid}/status").read_text())
    size = sum(path.stat().st_size for path in pathlib.Path(provider.folder).glob("provider.sqlite*"))
    return int(memory[1]) / 1024, size / 1e6


def run(bench, minutes, connections, pause):
    """Whether nobody was refused, and the memory of the end is that of the beginning, but for a quarter."""
    visitors = [Visitor(bench, number) for number in range(connections)]
    print(f"{connections} connections, {pause * 1000:.0f} ms between their turns, {os.cpu_count()} processors\n")
    print("| minutes | requests | logins by a code | refused | memory | database |\n|--:|--:|--:|--:|--:|--:|", flush=True)
    begin = time.monotonic()
    end = begin + minutes * 60
    threads = [threading.Thread(target=visitor.work, args=(end, pause), daemon=True) for visitor in visitors]
    for thread in threads:
        thread.start()
    first = None
    for minute in sorted({*range(5, minutes, 5), minutes}):
        time.sleep(max(0, begin + minute * 60 - time.monotonic()))
        memory, size = sizes(bench.provider)
        first = first or memory
        requests, logins = sum(visitor.requests for visitor in visitors), sum(visitor.logins for visitor in visitors)
        refused = [remark for visitor in visitors for remark in visitor.refused]
        print(f"| {minute} | {requests:,} | {logins:,} | {len(refused):,} | {memory:.0f} MiB | {size:,.0f} MB |", flush=True)
    for thread in threads:
        thread.join(60)
    for remark in refused[:10]:
        print(remark)
    return not refused and memory < first * 1.25
