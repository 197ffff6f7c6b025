"""The envelope that every vector file shares, and its layout on disk: one test per line."""

import json

# What a flag means. A file's `notes` lists the flags that its tests use, and no others.
NOTES = {
    "Figure": "every value is printed in the source document",
    "Derived": "computed by the generator from the same or similar inputs, not printed in the source document",
    "OneRule": "made by the rules of the standard but one, so that only that rule can refuse it",
    "Damaged": "a valid test of the same file with one thing changed",
    "WrongKey": "a sound key of the right type and size, but not the one that was used",
    "BadLength": "a value has a length that the algorithm does not take",
    "BadRange": "a number lies outside its range",
    "BadEncoding": "the octets are not in the one accepted encoding",
    "InvalidPoint": "the coordinates are not those of a point of the curve",
    "EdgeCase": "valid, but at a border where arithmetic or padding goes wrong easily",
    "OddInitializationVector": "the initialization vector is not 96 bits long: valid for GCM, never for JOSE",
    "Header": "the outcome depends on a header parameter",
    "AlgorithmPolicy": "the outcome depends on the algorithms that the caller allows",
    "KeyPolicy": "the outcome depends on whether the key fits the algorithm",
    "Claim": "the outcome depends on a claim and the caller's policy",
    "Unsecured": "the algorithm is none, or a spelling of it",
    "Limit": "the input is larger than the default limits allow",
    "OutOfBand": "the party information is agreed outside of the token",
}


class Group:
    def __init__(self, type, members):
        self.type, self.members, self.tests = type, members, []

    def add(self, result, comment, flags, **members):
        assert result in ("valid", "invalid", "acceptable")
        assert all(flag in NOTES for flag in flags), flags
        self.tests.append({"comment": comment, "flags": list(flags), **members, "result": result})

    def valid(self, comment, *flags, **members):
        self.add("valid", comment, flags, **members)

    def invalid(self, comment, *flags, **members):
        self.add("invalid", comment, flags, **members)


class VectorFile:
    def __init__(self, name, algorithm, document, section, title):
        self.name, self.algorithm = name, algorithm
        self.source = {"document": document, "section": section, "title": title}
        self.groups = []

    def group(self, type, **members):
        self.groups.append(Group(type, members))
        return self.groups[-1]

    def text(self):
        tests = [test for group in self.groups for test in group.tests]
        for number, test in enumerate(tests, 1):
            test["tcId"] = number
        used = {flag for test in tests for flag in test["flags"]}
        lines = [
            "{",
            f' "algorithm": {one_line(self.algorithm)},',
            ' "schema": "jose_vectors_v1",',
            f' "source": {one_line(self.source)},',
            f' "numberOfTests": {len(tests)},',
            ' "notes": {',
            ",\n".join(f"  {one_line(flag)}: {one_line(NOTES[flag])}" for flag in NOTES if flag in used),
            " },",
            ' "testGroups": [',
        ]
        for group in self.groups:
            lines.append(f'  {{"type": {one_line(group.type)},')
            lines += [f"   {one_line(name)}: {one_line(value)}," for name, value in group.members.items()]
            lines.append('   "tests": [')
            lines.append(",\n".join("    " + one_line({"tcId": test["tcId"], **test}) for test in group.tests))
            lines.append("   ]}" + ("," if group is not self.groups[-1] else ""))
        lines += [" ]", "}", ""]
        return "\n".join(lines)


def one_line(value):
    return json.dumps(value)
