"""A relay between a provider and PostgreSQL that understands where messages end: it cuts at a place, delays, and holds back."""

import socket
import struct
import threading
import time


class Wire:
    """Listens on a free port, and forwards to a server's socket, as long as nothing else is asked for.

    What a client sends up to a Sync, and a simple query, is one message here: the server answers each with ReadyForQuery. `cut` ends
    every connection at the n-th from now on, counted over all connections: `before` the server has it, or `after` it was
    answered, with the answer; or the server is `gone` from then on, until it is watched again."""

    def __init__(self, target, host="127.0.0.1"):
        self.target, self.delay = target, 0
        self.listener = socket.create_server((host, 0))
        self.host, self.port = self.listener.getsockname()[:2]
        self.lock = threading.Lock()
        self.pairs, self.count, self.plan, self.has_cut, self.is_gone = set(), 0, None, False, False
        # What is set lets messages through.
        self.questions, self.answers = threading.Event(), threading.Event()
        self.heal()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self):
        return f"postgres://provider@{self.host}:{self.port}/idp?sslmode=disable&gssencmode=disable"

    def cut(self, number, place):
        with self.lock:
            self.count, self.plan, self.has_cut, self.is_gone = 0, (number, place), False, False

    def watch(self):
        """Counts anew, and cuts nothing."""
        self.cut(0, None)

    def hold(self, questions=True, answers=True):
        """A network that takes everything and brings nothing."""
        if questions:
            self.questions.clear()
        if answers:
            self.answers.clear()

    def heal(self):
        self.delay = 0
        self.questions.set()
        self.answers.set()

    def drop(self):
        """Ends all connections."""
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            self._end(pair)

    def close(self):
        self.listener.close()
        self.heal()
        self.drop()

    def _end(self, pair):
        with self.lock:
            self.pairs.discard(pair)
        for end in pair:
            try:
                # A thread that reads it then sees the end, which `close` alone would not tell it.
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def _accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        self.questions.wait()
        if self.is_gone:
            client.close()
            return
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(self.target)
        except OSError:
            client.close()
            server.close()
            return
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        pair = (client, server)
        with self.lock:
            self.pairs.add(pair)
        # Set once the answer that is under way is not to arrive.
        swallow = threading.Event()
        threading.Thread(target=self._pump_answers, args=(pair, swallow), daemon=True).start()
        self._pump_questions(pair, swallow)

    def _pump_questions(self, pair, swallow):
        client, server = pair
        try:
            # The first message has no type.
            head = self._read(client, 4)
            server.sendall(head + self._read(client, struct.unpack("!I", head)[0] - 4))
            while True:
                message = self._message(client)
                self.questions.wait()
                place = self._place() if message[:1] in b"QS" else None
                if place == "before" or self.is_gone:
                    break
                if place == "after":
                    swallow.set()
                server.sendall(message)
        except (OSError, EOFError, struct.error):
            pass
        if not swallow.is_set():
            self._end(pair)

    def _pump_answers(self, pair, swallow):
        client, server = pair
        try:
            while True:
                message = self._message(server)
                self.answers.wait()
                if self.delay and message[:1] == b"Z":
                    time.sleep(self.delay)
                if not swallow.is_set():
                    client.sendall(message)
                elif message[:1] == b"Z":
                    break
        except (OSError, EOFError, struct.error):
            pass
        self._end(pair)

    def _place(self):
        """Where the message that is being sent is to be cut."""
        with self.lock:
            self.count += 1
            if not self.plan or self.has_cut or self.count != self.plan[0]:
                return None
            self.has_cut = True
            self.is_gone = self.plan[1] == "gone"
            return self.plan[1]

    def _message(self, end):
        head = self._read(end, 5)
        return head + self._read(end, struct.unpack("!I", head[1:])[0] - 4)

    @staticmethod
    def _read(end, count):
        parts = []
        while count:
            part = end.recv(count)
            if not part:
                raise EOFError
            parts.append(part)
            count -= len(part)
        return b"".join(parts)
