"""Makes the LLVM IR of a release build of PureCrypto and its modules: SwiftPM's own description of the build, with `-emit-ir` added.

usage: build.py SCRATCH [TRIPLE]
"""
import json
import os
import shutil
import subprocess
import sys

MODULES = ["PureCryptoIntegers", "PureCryptoInstructions", "PureCryptoKernels", "PureCryptoKernelsAVX2", "PureCryptoKernelsAVX512",
           "PureCryptoKernelsVAES", "PureCryptoKernelsIFMA",
           "PureCryptoKernelsSHA512", "PureCrypto"]


def main(scratch):
    def swift(*arguments):
        subprocess.run(["swift", "build", "-c", "release", "--scratch-path", scratch, *arguments], check=True, stdout=subprocess.DEVNULL)
    for module in MODULES[:-1]:  # what PureCrypto imports
        swift("--target", module)
    folder = subprocess.run(["swift", "build", "-c", "release", "--scratch-path", scratch, "--show-bin-path"], check=True, capture_output=True,
                            text=True).stdout.strip()
    with open(os.path.join(folder, "description.json")) as file:
        commands = {c["moduleName"]: c for c in json.load(file)["swiftCommands"].values()}
    output = os.path.join(scratch, "ir")
    shutil.rmtree(output, ignore_errors=True)
    for module in MODULES:
        command = commands[module]
        place = os.path.join(output, module)
        os.makedirs(place)
        flags = list(command["otherArguments"])
        # What a build writes beside objects. None of it changes the code.
        for extra in ("-parseable-output", "-serialize-diagnostics", "-emit-objc-header"):
            flags = [f for f in flags if f != extra]
        at = flags.index("-emit-objc-header-path")
        del flags[at:at + 2]
        files = {s: {"llvm-ir": os.path.join(place, os.path.basename(s)[:-len(".swift")] + ".ll")} for s in command["sources"]}
        with open(os.path.join(place, "map.json"), "w") as file:
            json.dump({"": {}, **files}, file)
        subprocess.run([command["executable"], "-module-name", module, "-I", command["importPath"], "-emit-ir",
                        "-output-file-map", os.path.join(place, "map.json"), *flags, *command["sources"]], check=True, cwd=place)
        missing = [f["llvm-ir"] for f in files.values() if not os.path.exists(f["llvm-ir"])]
        if missing:
            sys.exit(f"no IR was made: {missing}")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
