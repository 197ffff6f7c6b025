"""Which addresses a program makes for an emulated AArch64 processor, one instruction at a time.

qemu writes all general registers before each instruction. Of a load or store, what stands in the brackets is kept, of a division its operands,
and of every instruction its place: whatever a secret decides shows there. Blocks of instructions are hashed, so that a run of millions is short
to keep, and two runs that differ are run again to name the first instruction that does.
"""
import hashlib
import os
import re
import subprocess
import threading

import building

BLOCK = 4096
RECORD = re.compile(rb"^\d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/")


class Trace:
    """The digests of all blocks of a run, and how many instructions it had."""

    def __init__(self):
        self.digests, self.count = [], 0

    def __eq__(self, other):
        return (self.count, self.digests) == (other.count, other.digests)


class Recorder:
    def __init__(self, program, markers, folder):
        self.program, self.markers, self.folder = program, markers, folder
        self.instructions, self.functions, self.kept = {}, {}, {}
        for symbol, code in building.disassembly(program).items():
            for place, text in code:
                name, _, rest = text.partition(" ")
                self.instructions[place] = text
                self.functions[place] = symbol
                brackets = re.search(r"\[([^\]]*)\]", rest)
                if name.startswith(("ld", "st", "prfm", "cas", "swp")) and brackets:
                    self.kept[place] = self.fields(brackets[1])
                elif name in ("udiv", "sdiv"):
                    self.kept[place] = self.fields(rest.partition(",")[2])

    @staticmethod
    def fields(text):
        """How qemu labels the registers that are named in `text`."""
        numbers = [f"X{int(number):02}=" for number in re.findall(r"\b[xw](\d+)\b", text)]
        return [label.encode() for label in numbers + (["SP="] if re.search(r"\bsp\b", text) else [])]

    def events(self, line, without_extensions):
        """Place and registers of each instruction of the last operation of `line`: those before it make the tables that it shares."""
        fifo = os.path.join(self.folder, f"registers.{threading.get_ident()}")
        os.mkfifo(fifo)
        environment = dict(os.environ, **({"WITHOUT_EXTENSIONS": "1"} if without_extensions else {}))
        # The seed fixes what the C library takes for its canaries.
        with subprocess.Popen(["qemu-aarch64-static", "-seed", "1", "-singlestep", "-d", "exec,cpu,nochain", "-D", fifo, self.program],
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment) as process:
            process.stdin.write(line.encode())
            process.stdin.close()
            try:
                with open(fifo, "rb") as log:
                    yield from self.between_markers(log, line.count("\n"))
                    while log.read(1 << 20):
                        pass
            finally:
                os.remove(fifo)
        if process.returncode != 0:
            raise RuntimeError(f"the program ended with {process.returncode}")

    def between_markers(self, log, operation):
        begin, end = (b"/%016x/" % place for place in self.markers)
        rest = b""
        while operation and (chunk := log.read(1 << 20)):
            # A marker that two chunks share would be missed.
            rest = rest[-len(begin):] + chunk
            found = -1
            while operation and (found := rest.find(begin, found + 1)) >= 0:
                operation -= 1
                if operation == 0:
                    rest = rest[found + len(begin):]
        while chunk := log.read(1 << 20):
            *records, rest = (rest + chunk).split(b"Trace ")
            for record in records:
                if match := RECORD.match(record):
                    if end in match[0]:
                        return
                    place = int(match[1], 16)
                    yield place, b"".join(self.value(record, label) for label in self.kept.get(place, ()))

    @staticmethod
    def value(record, label):
        at = record.index(label) + len(label)
        return record[at:at + 16]

    def record(self, line, without_extensions):
        trace, digest = Trace(), hashlib.sha256()
        for place, values in self.events(line, without_extensions):
            digest.update(b"%x %s\n" % (place, values))
            trace.count += 1
            if trace.count % BLOCK == 0:
                trace.digests.append(digest.digest())
                digest = hashlib.sha256()
        trace.digests.append(digest.digest())
        return trace

    def first_difference(self, line, other, trace, other_trace, without_extensions):
        """The first instruction in which two runs differ, for a person to read."""
        block = next((number for number, pair in enumerate(zip(trace.digests, other_trace.digests)) if pair[0] != pair[1]),
                     min(len(trace.digests), len(other_trace.digests)))
        windows = [self.window(text, block, without_extensions) for text in (line, other)]
        for first, second in zip(*windows):
            if first != second:
                return f"{self.functions.get(first[0], '?')}: {self.instructions.get(first[0], '?')}"
        return "one run is longer"

    def window(self, line, block, without_extensions):
        found = []
        for number, event in enumerate(self.events(line, without_extensions)):
            if number // BLOCK == block:
                found.append(event)
        return found
