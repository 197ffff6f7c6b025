"""A client's side of the authorization code flow, one step at a time."""

import base64
import json
import secrets
import string
import urllib.parse

import conditions
from browser import Browser, Callback, Person, exchange
from conditions import must

ALPHANUMERICS = string.ascii_letters + string.digits


def random_text(length=10):
    return "".join(secrets.choice(ALPHANUMERICS) for _ in range(length))


class Client:
    def __init__(self, members, method, redirect_uri):
        self.id, self.secret = members["client_id"], members.get("client_secret")
        self.method, self.redirect_uri = method, redirect_uri


class World:
    """The provider under test as its clients know it: an address, users, registered clients."""

    def __init__(self, issuer, context, user, password, clients):
        self.issuer, self.context, self.user, self.password = issuer, context, user, password
        self.clients = clients

    def person(self):
        return Person(Browser(self.issuer, self.context), self.user, self.password)

    def get(self, url, headers=()):
        return exchange("GET", url, headers, context=self.context)

    def post(self, url, fields, headers=()):
        body = urllib.parse.urlencode(fields).encode()
        headers = [("Content-Type", "application/x-www-form-urlencoded"), *headers]
        return exchange("POST", url, headers, body, self.context)


class Session:
    """A module's run: what the provider says of itself, a browser of its own, and the warnings."""

    def __init__(self, world):
        self.world, self.warnings = world, []
        self.person = world.person()
        self.client = world.clients["basic"]
        response = world.get(world.issuer + "/.well-known/openid-configuration")
        must(response.status == 200, f"discovery answered {response.status}")
        self.metadata = conditions.json_of(response, "discovery")
        must(self.metadata.get("issuer") == world.issuer, "issuer of discovery")
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            must(isinstance(self.metadata.get(name), str), f"{name} is missing")
        self.keys = self._keys()

    def warn(self, text):
        self.warnings.append(text)

    def _keys(self):
        """P: public keys with names of their own."""
        response = self.world.get(self.metadata["jwks_uri"])
        must(response.status == 200, f"the JWKS answered {response.status}")
        keys = json.loads(response.text)
        must(isinstance(keys.get("keys"), list) and keys["keys"], "the JWKS has no keys")
        for key in keys["keys"]:
            must(isinstance(key.get("kty"), str) and key["kty"] != "oct", "a key that is not public")
            must(not key.keys() & {"d", "p", "q", "dp", "dq", "qi", "k", "oth"}, "a key has private members")
            must(key.get("kid"), "a key has no kid")
        names = [key["kid"] for key in keys["keys"]]
        must(len(names) == len(set(names)), "two keys have one kid")
        return keys

    def clear_cookies(self):
        self.person.browser.cookies.clear()

    # Authorization

    def request(self, client=None, **changes):
        """A: the parameters of an authorization request. None leaves a parameter out."""
        client = client or self.client
        parameters = {
            "client_id": client.id, "redirect_uri": client.redirect_uri, "scope": "openid", "response_type": "code",
            "state": random_text(), "nonce": random_text()}
        parameters.update(changes)
        return {name: value for name, value in parameters.items() if value is not None}

    def authorize(self, parameters, **options):
        """The callback, whatever it says."""
        url = self.metadata["authorization_endpoint"]
        if options.get("method") == "POST":
            return self.person.arrives(url, fields=list(parameters.items()), **options)
        return self.person.arrives(url + "?" + urllib.parse.urlencode(parameters), **options)

    def error_page(self, parameters):
        """X: the provider's own page, and nobody is sent anywhere."""
        url = self.metadata["authorization_endpoint"] + "?" + urllib.parse.urlencode(parameters)
        try:
            page = self.person.visit(url)
        except Callback as callback:
            raise AssertionError(f"the browser was sent to {callback}") from None
        must(page.kind == "error", f"the page is {page.kind!r}, not an error page")
        must(400 <= page.response.status < 500, f"the error page has status {page.response.status}")
        must(len(page.text.strip()) > 20, "the error page says nothing")
        return page

    # Tokens

    def token(self, fields, client=None):
        client = client or self.client
        supported = self.metadata.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        must(client.method in supported, f"{client.method} is not among {supported}")
        headers = []
        if client.method == "client_secret_basic":
            pair = ":".join(urllib.parse.quote(text, safe="") for text in (client.id, client.secret))
            headers = [("Authorization", "Basic " + base64.b64encode(pair.encode()).decode())]
        elif client.method == "client_secret_post":
            fields = {**fields, "client_id": client.id, "client_secret": client.secret}
        return self.world.post(self.metadata["token_endpoint"], fields, headers)

    def redeem(self, code, client=None, **more):
        client = client or self.client
        fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": client.redirect_uri, **more}
        return self.token(fields, client)

    def check_id_token(self, tokens, nonce, client=None, code=None):
        must(tokens.get("id_token"), "there is no ID token")
        return conditions.id_token_is_good(
            tokens["id_token"], self.keys, self.world.issuer, (client or self.client).id, nonce, tokens["access_token"],
            code)

    def log_in(self, client=None, changes=None, token_fields=None, **options):
        """Normal: A, K, T, I, and userinfo takes the token. What was learnt."""
        client = client or self.client
        parameters = self.request(client, **(changes or {}))
        callback = self.authorize(parameters, **options)
        conditions.callback_is_good(
            callback, parameters.get("redirect_uri", client.redirect_uri), self.world.issuer, parameters.get("state"))
        code = callback.parameters["code"]
        response = self.redeem(code, client, **(token_fields or {}))
        tokens = conditions.token_response_is_good(response)
        header, claims = self.check_id_token(tokens, parameters.get("nonce"), client, code)
        login = Login(code, tokens, header, claims, callback.pages)
        login.userinfo = conditions.userinfo_is_good(self.userinfo(tokens["access_token"]), claims["sub"])
        return login

    def userinfo(self, token):
        return self.world.get(self.metadata["userinfo_endpoint"], [("Authorization", "Bearer " + token)])


class Login:
    def __init__(self, code, tokens, header, claims, pages):
        self.code, self.tokens, self.header, self.claims, self.pages = code, tokens, header, claims, pages
        self.userinfo = None

    @property
    def kinds(self):
        return [page.kind for page in self.pages]
