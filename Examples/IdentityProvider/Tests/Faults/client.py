"""One login of a client, which refreshes, keeps a journal, and finds what is lost."""

import base64
import concurrent.futures
import http.client
import json
import urllib.parse

from setting import REDIRECT_URI, Lost, exchange


class Client:
    """One login, and what became of it: the tokens that were given, newest last, and the one whose answer didn't come."""

    def __init__(self, provider, name, person):
        members = provider.add_client(name, [REDIRECT_URI])
        self.name, self.id, self.secret = name, members["client_id"], members["client_secret"]
        self.person = person
        self.history, self.pending, self.answers, self.cut_off = [], None, 0, 0

    def log_in(self, provider):
        status, members = self.redeem(provider.address, self.authorize(provider)["code"])
        if status != 200:
            raise Lost(f"{self.name} could not log in: {status} {members.get('error')}")
        self.history, self.pending = [members["refresh_token"]], None

    def authorize(self, provider, **more):
        """The parameters of the callback: a code."""
        parameters = {
            "client_id": self.id, "response_type": "code", "redirect_uri": REDIRECT_URI, "scope": "openid offline_access",
            "state": "s", "nonce": "n", **more}
        return self.person.arrives(provider.issuer + "/authorize?" + urllib.parse.urlencode(parameters)).parameters

    def redeem(self, address, code):
        return self.ask(address, grant_type="authorization_code", code=code, redirect_uri=REDIRECT_URI)

    def present(self, address, token):
        return self.ask(address, grant_type="refresh_token", refresh_token=token)

    @property
    def credentials(self):
        return "Basic " + base64.b64encode(f"{self.id}:{self.secret}".encode()).decode()

    def ask(self, address, connection=None, **fields):
        """The status and members of an answer of the token endpoint."""
        target = urllib.parse.urlsplit(address)
        own = connection is None
        connection = connection or http.client.HTTPConnection(target.hostname, target.port, timeout=30)
        try:
            connection.request("POST", "/token", urllib.parse.urlencode(fields), {
                "Content-Type": "application/x-www-form-urlencoded", "Authorization": self.credentials})
            answer = connection.getresponse()
            body = answer.read()
            # A proxy or a framework may answer in words.
            return answer.status, json.loads(body) if body[:1] == b"{" else {"error": body[:80].decode(errors="replace")}
        finally:
            if own:
                connection.close()

    def refresh(self, address, connection=None):
        """Presents the newest token. An answer that doesn't come leaves it pending."""
        self.pending = self.history[-1]
        status, members = self.ask(address, connection, grant_type="refresh_token", refresh_token=self.pending)
        if status >= 500:
            raise ConnectionError(f"{status}")
        if status != 200:
            raise Lost(f"{self.name}: what it was given last was refused: {members.get('error')}")
        self.history.append(members["refresh_token"])
        self.pending = None
        self.answers += 1

    def work(self, address, count, stop):
        """Until the provider dies."""
        target = urllib.parse.urlsplit(address)
        connection = http.client.HTTPConnection(target.hostname, target.port, timeout=30)
        try:
            while not stop.is_set():
                self.refresh(address, connection)
                count()
        except (OSError, http.client.HTTPException):
            self.cut_off += self.pending is not None
        finally:
            connection.close()

    def examine(self, addresses):
        """In the next process."""
        if self.pending:
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                asked = [pool.submit(self.present, address, self.pending) for address in (addresses * 2)[:2]]
            answers = [future.result() for future in asked]
            given = {members.get("refresh_token") for status, members in answers if status == 200}
            if not given:
                raise Lost(f"{self.name}: what was cut off is lost: {[m.get('error') for _, m in answers]}")
            if len(given) > 1:
                raise Lost(f"{self.name}: one token has two successors")
            self.history.append(given.pop())
            self.pending = None
        self.refresh(addresses[0])

    def present_old(self, provider, address):
        """What was used up two generations ago. Its family ends, so a new login follows."""
        if len(self.history) < 3:
            return
        for token, what in ((self.history[-3], "an old token is good"), (self.history[-1], "a family goes on after theft")):
            status, members = self.present(address, token)
            if status == 200 or members.get("error") != "invalid_grant":
                raise Lost(f"{self.name}: {what}: {status}")
        self.log_in(provider)


def user_info(address, token):
    """The status of the answer."""
    return exchange("GET", address + "/userinfo", [("Authorization", "Bearer " + token)]).status
