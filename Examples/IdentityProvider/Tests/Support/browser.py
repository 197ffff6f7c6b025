"""A browser without a window: cookies with their SameSite, redirects, forms. It stops where a client's address begins."""

import http.client
import ssl
import urllib.parse

from page import Page


class Response:
    def __init__(self, url, status, headers, body):
        self.url, self.status, self.headers, self.body = url, status, headers, body

    def header(self, name):
        return ", ".join(value for field, value in self.headers if field.lower() == name.lower()) or None

    def all(self, name):
        return [value for field, value in self.headers if field.lower() == name.lower()]

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")


def exchange(method, url, headers=(), body=None, context=None):
    """One request, one response; nothing is followed."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https":
        connection = http.client.HTTPSConnection(
            parts.hostname, parts.port, timeout=60, context=context or ssl.create_default_context())
    else:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    try:
        target = (parts.path or "/") + ("?" + parts.query if parts.query else "")
        connection.request(method, target, body, dict(headers))
        answer = connection.getresponse()
        return Response(url, answer.status, answer.getheaders(), answer.read())
    finally:
        connection.close()


class Callback(Exception):
    """The browser was sent to a client."""

    def __init__(self, url, pages):
        super().__init__(url.partition("?")[0])
        self.url, self.pages = url, pages
        self.parameters = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query, keep_blank_values=True))


class Browser:
    def __init__(self, origin, context=None):
        """`origin`: the provider's. Whatever lies elsewhere belongs to clients, and is not asked."""
        self.origin, self.context = origin, context
        self.cookies = {}
        self.responses = []

    def _cookie_header(self, method, cross_site):
        chosen = []
        for name, (value, same_site) in self.cookies.items():
            if cross_site and (same_site == "strict" or (same_site == "lax" and method not in ("GET", "HEAD"))):
                continue
            chosen.append(f"{name}={value}")
        return "; ".join(chosen)

    def _keep(self, line):
        pair, *attributes = [part.strip() for part in line.split(";")]
        name, _, value = pair.partition("=")
        attributes = {key.lower(): text for key, _, text in (part.partition("=") for part in attributes)}
        if attributes.get("max-age") == "0" or not value or "1970" in attributes.get("expires", ""):
            self.cookies.pop(name, None)
        else:
            # Browsers take a cookie without the attribute for a lax one.
            self.cookies[name] = (value, attributes.get("samesite", "lax").lower())

    def _once(self, method, url, fields, cross_site, initiator):
        headers = {
            "Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Accept-Language": "en",
            "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
            "Sec-Fetch-Site": "cross-site" if cross_site else "same-origin" if initiator else "none",
        }
        if cookies := self._cookie_header(method, cross_site):
            headers["Cookie"] = cookies
        body = None
        if method == "POST":
            body = urllib.parse.urlencode(fields or []).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            # As the Fetch standard has it: a page that names no referrer names no origin either.
            silent = initiator and "no-referrer" in (initiator.header("Referrer-Policy") or "").split(", ")[-1:]
            headers["Origin"] = "https://client.example" if cross_site else "null" if silent else self.origin
        response = exchange(method, url, headers.items(), body, self.context)
        self.responses.append(response)
        for line in response.all("Set-Cookie"):
            self._keep(line)
        return response

    def open(self, url, method="GET", fields=None, cross_site=False, initiator=None):
        """Follows redirects to a page of the provider's. Throws `Callback` when sent elsewhere."""
        pages = []
        for _ in range(20):
            response = self._once(method, url, fields, cross_site, initiator)
            if location := response.header("Location"):
                if response.status not in (301, 302, 303, 307, 308):
                    raise AssertionError(f"a Location with status {response.status}")
                if response.status not in (307, 308):
                    method, fields = "GET", None
                url = urllib.parse.urljoin(url, location)
            else:
                page = Page(response)
                pages.append(page)
                if not page.refresh:
                    return page
                url, method, fields, initiator = urllib.parse.urljoin(url, page.refresh), "GET", None, response
            if not url.startswith(self.origin + "/"):
                raise Callback(url, pages)
        raise AssertionError("redirects without end")

    def submit(self, page, form, values=None, button=None):
        fields = form.filled(values or {}, button)
        url = urllib.parse.urljoin(page.response.url, form.action or page.response.url)
        if form.method == "GET":
            return self.open(url.partition("?")[0] + "?" + urllib.parse.urlencode(fields), initiator=page.response)
        return self.open(url, "POST", fields, initiator=page.response)


class Person:
    """Somebody before a browser, who logs in and consents when asked, and remembers what was asked."""

    def __init__(self, browser, name, password):
        self.browser, self.name, self.password = browser, name, password

    def visit(self, url, method="GET", fields=None, cross_site=True, decision="allow"):
        """From a client's link to the client's callback. The pages on the way are `Callback.pages`; without a callback, the last
        page is returned."""
        seen = []
        try:
            page = self.browser.open(url, method, fields, cross_site)
            for _ in range(6):
                seen.append(page)
                if page.kind == "login":
                    page = self.browser.submit(
                        page, page.form("username", "password"), {"username": self.name, "password": self.password})
                elif page.kind == "guesses":
                    page = self.browser.submit(page, page.form("request"))
                elif page.kind == "consent":
                    page = self.browser.submit(page, page.form("decision"), button=("decision", decision))
                else:
                    return page
            raise AssertionError(f"the same pages again and again: {[page.kind for page in seen]}")
        except Callback as callback:
            callback.pages = seen + callback.pages
            raise

    def arrives(self, *arguments, **options):
        """The callback, which must come."""
        try:
            page = self.visit(*arguments, **options)
        except Callback as callback:
            return callback
        raise AssertionError(f"no callback, but the page {page.kind!r} ({page.response.status}): {page.text.strip()[:200]}")
