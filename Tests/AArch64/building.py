"""Builds PureCrypto with its kernels for AArch64 without an operating system, and links it with the C library of a cross compiler."""
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TOOLS = os.path.dirname(os.path.realpath(shutil.which("swiftc") or "/usr/bin/swiftc"))
TARGET = "aarch64-none-none-elf"
FLAGS = ["-target", TARGET, "-O", "-swift-version", "6", "-wmo", "-parse-as-library", "-package-name", "purejose", "-warnings-as-errors",
         "-Xfrontend", "-disable-stack-protector", "-D", "ARM_KERNELS", "-D", "ARM_SHA512_KERNELS"]
FEATURES = [part for name in ("Embedded", "BuiltinModule", "Extern") for part in ("-enable-experimental-feature", name)]
# As the manifest has it: what a module may use beyond the plainest processor.
INSTRUCTIONS = {"PureCryptoInstructions": "armv8-a+crypto", "PureCryptoKernels": "armv8-a+crypto",
                "PureCryptoKernelsSHA512": "armv8-a+crypto+sha3"}
MODULES = ["PureCryptoInstructions", "PureCryptoKernels", "PureCryptoKernelsSHA512", "PureCryptoIntegers", "PureCrypto"]
PACKAGES = {"aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu", "/usr/aarch64-linux-gnu/lib/libc.a": "libc6-dev-arm64-cross",
            "qemu-aarch64-static": "qemu-user-static"}


def have(name):
    return os.path.exists(name) if name.startswith("/") else shutil.which(name) is not None


def require(packages=None):
    """Installs what Debian has a package for. Ends with status 3 if that can't be done."""
    packages = packages or PACKAGES
    missing = [package for name, package in packages.items() if not have(name)]
    if missing:
        subprocess.run([os.path.join(ROOT, ".ci", "install"), "--no-install-recommends", *missing], check=False)
    missing = [name for name in packages if not have(name)]
    if missing:
        print(f"CAN'T RUN: {', '.join(missing)} missing, which come with {' '.join(packages[name] for name in missing)}",
              file=sys.stderr)
        sys.exit(3)


def run(tool, *arguments, **options):
    beside = os.path.join(TOOLS, tool)
    return subprocess.run([beside if os.path.exists(beside) else tool, *arguments], check=True, **options)


def output(tool, *arguments):
    return run(tool, *arguments, capture_output=True, text=True).stdout


def sources(*places):
    return sorted(path for place in places for path in glob.glob(os.path.join(ROOT, place, "**", "*.swift"), recursive=True))


def compile_module(name, folder):
    """One module as an object file, in reach of the next."""
    made = os.path.join(folder, name + ".o")
    extra = [part for flag in ("-Xarch_aarch64", "-march=" + INSTRUCTIONS[name]) for part in ("-Xcc", flag)] if name in INSTRUCTIONS else []
    run("swiftc", *FLAGS, *FEATURES, *extra, "-I", folder, "-emit-module", "-emit-module-path", os.path.join(folder, name + ".swiftmodule"),
        "-module-name", name, "-c", *sources(os.path.join("Sources", "**", name)), "-o", made)
    return made


def build(folder):
    """All modules and the calculator. Returns the program, which runs under qemu."""
    os.makedirs(folder, exist_ok=True)
    objects = [compile_module(name, folder) for name in MODULES]
    entry, program = os.path.join(folder, "entry.o"), os.path.join(folder, "program")
    shared = [path for path in sources("Tests/Embedded/Program") if os.path.basename(path) in ("Hex.swift", "Operation.swift")]
    run("swiftc", *FLAGS, *FEATURES, "-I", folder, "-module-name", "AArch64Program", "-c", *sources("Tests/AArch64/Program"), *shared, "-o", entry)
    tables = os.path.join(TOOLS, "..", "lib", "swift", "embedded", TARGET, "libswiftUnicodeDataTables.a")
    # GNU's linker refuses copy relocations against protected symbols.
    run("aarch64-linux-gnu-gcc", "-static", "-B" + TOOLS, "-fuse-ld=lld", "-Wl,--gc-sections", "-Wl,--wrap=getauxval", entry, *objects, tables,
        "-o", program)
    return program


def disassembly(file):
    """Pairs of address and instruction, by function."""
    functions, name = {}, None
    for line in output("llvm-objdump", "-d", "-r", "--no-show-raw-insn", "--mattr=+aes,+sha2,+sha3", file).splitlines():
        if line.endswith(">:"):
            name = line[line.index("<") + 1:-2]
            functions[name] = []
        elif name and "R_AARCH64_" in line:
            place, text = functions[name][-1]
            functions[name][-1] = (place, text + " ; " + line[line.index("R_AARCH64_"):].replace("\t", " "))
        elif name and ":" in line:
            address, _, text = line.partition(":")
            if all(digit in "0123456789abcdef" for digit in address.strip()):
                functions[name].append((int(address, 16), " ".join(text.split())))
    return functions


def markers(program):
    """The addresses of the two functions between which an operation runs: Swift calls them by their own symbols."""
    found = {}
    for line in output("llvm-nm", program).splitlines():
        for name in ("traceBegins", "traceEnds"):
            if name + "yyF" in line.split()[-1] and not line.endswith("To"):
                found[name] = int(line.split()[0], 16)
    return found["traceBegins"], found["traceEnds"]
