"""What stands before the provider, as a proxy would: TLS for browsers and clients, plain HTTP behind. Given a fault, it lies."""

import http.client
import http.server
import threading
import urllib.parse


class Message:
    """A request or a response on its way. Header fields are pairs, in order."""

    def __init__(self, headers, body, method=None, target=None, status=None):
        self.headers, self.body, self.method, self.target, self.status = headers, body, method, target, status

    def header(self, name):
        return next((value for field, value in self.headers if field.lower() == name.lower()), None)

    def set(self, name, value):
        self.remove(name)
        self.headers.append((name, value))

    def remove(self, name):
        self.headers = [field for field in self.headers if field[0].lower() != name.lower()]

    @property
    def path(self):
        return urllib.parse.urlsplit(self.target).path

    @property
    def query(self):
        return urllib.parse.parse_qsl(urllib.parse.urlsplit(self.target).query, keep_blank_values=True)

    @query.setter
    def query(self, pairs):
        encoded = urllib.parse.urlencode(pairs)
        self.target = self.path + ("?" + encoded if encoded else "")

    @property
    def form(self):
        return urllib.parse.parse_qsl(self.body.decode(), keep_blank_values=True)

    @form.setter
    def form(self, pairs):
        self.body = urllib.parse.urlencode(pairs).encode()


class Fault:
    """What a lying relay does. An honest one does nothing."""

    def request(self, request):
        """Changes a request, or returns the response to give instead."""

    def response(self, request, response):
        """Changes a response."""


class Listener(http.server.ThreadingHTTPServer):
    """TLS on a free port of localhost."""

    daemon_threads = True

    def __init__(self, authority, handler):
        super().__init__(("127.0.0.1", 0), handler)
        # The handshake belongs to the thread of its connection, or one that doesn't come keeps all others waiting.
        self.socket = authority.server().wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """Connections end as browsers like."""


class Relay:
    """Listens on a free port of localhost from the beginning, so that the provider can be told its name."""

    def __init__(self, authority):
        self.target = None
        self.fault = Fault()
        self.server = Listener(authority, self._handler())
        self.url = f"https://localhost:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def _handler(relay):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def relayed(self):
                length = int(self.headers.get("Content-Length") or 0)
                request = Message(list(self.headers.items()), self.rfile.read(length), self.command, self.path)
                response = relay.fault.request(request) or relay._forward(request)
                relay.fault.response(request, response)
                self.send_response_only(response.status)
                for name, value in response.headers:
                    if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                        self.send_header(name, value)
                if response.status not in (204, 304):
                    self.send_header("Content-Length", str(len(response.body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(response.body)

            do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = relayed

            def log_message(self, *arguments):
                pass

        return Handler

    def _forward(self, request):
        target = urllib.parse.urlsplit(self.target)
        connection = http.client.HTTPConnection(target.hostname, target.port, timeout=30)
        try:
            headers = {}
            for name, value in request.headers:
                if name.lower() not in ("content-length", "connection", "x-forwarded-for", "x-forwarded-proto"):
                    headers[name] = value
            headers.update({"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "https", "Connection": "close"})
            connection.request(request.method, request.target, request.body or None, headers)
            answer = connection.getresponse()
            return Message(answer.getheaders(), answer.read(), status=answer.status)
        except OSError:
            return Message([("Content-Type", "text/plain")], b"the provider is not there", status=502)
        finally:
            connection.close()
