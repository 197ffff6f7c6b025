"""The package's side of the campaign: a process that takes frames of requests and gives frames of answers (see Driver)."""
import os
import struct
import subprocess

DONE, REFUSED, MISUNDERSTOOD = 0, 1, 2


class DriverDied(Exception):
    pass


class Answer:
    __slots__ = ("status", "fields")

    def __init__(self, status, fields):
        self.status = status
        self.fields = fields

    def __repr__(self):
        if self.status == REFUSED:
            return "refused"
        return "misunderstood" if self.status == MISUNDERSTOOD else " | ".join(field.hex() for field in self.fields) or "nothing"


def operand(value):
    if isinstance(value, int):
        return struct.pack("<q", value)
    return value.encode() if isinstance(value, str) else bytes(value)


def request(side, fields):
    """`side`: 0 puts the end of every operand before an unreadable page, 1 its start after one."""
    parts = [bytes((side, len(fields)))]
    for field in map(operand, fields):
        parts.append(struct.pack("<I", len(field)))
        parts.append(field)
    return b"".join(parts)


class Driver:
    def __init__(self, path, *arguments, backend=None, quiet=False):
        """`backend`: what is taken where a request names none. `quiet`: for a driver that is meant to crash."""
        self.process = subprocess.Popen(
            [path, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else None,
            env=dict(os.environ, **({"PUREJOSE_BACKEND": backend} if backend else {}), **({"SWIFT_BACKTRACE": "enable=no"} if quiet else {})))

    def read(self, count):
        octets = self.process.stdout.read(count)
        if len(octets) != count:
            raise DriverDied(f"the driver ended with status {self.process.wait()}")
        return octets

    def ask(self, requests):
        """One answer a request. The driver takes a frame whole before it answers, so neither waits for the other."""
        frame = b"".join(requests)
        try:
            self.process.stdin.write(struct.pack("<I", len(frame)) + frame)
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise DriverDied(f"the driver ended with status {self.process.wait()}") from error
        octets = self.read(struct.unpack("<I", self.read(4))[0])
        answers, place = [], 0
        while place < len(octets):
            status, count = octets[place], octets[place + 1]
            place += 2
            fields = []
            for _ in range(count):
                length = struct.unpack_from("<I", octets, place)[0]
                fields.append(octets[place + 4:place + 4 + length])
                place += 4 + length
            answers.append(Answer(status, fields))
        if len(answers) != len(requests):
            raise DriverDied(f"{len(answers)} answers to {len(requests)} requests")
        return answers

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
