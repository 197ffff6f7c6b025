#!/usr/bin/env python3
"""Asks `jose certificate verify` and the path validation of Python's cryptography about the same generated chains.

    Tests/Interop/certificates.py path/to/jose [--plant FAULT]

Chains of two to four certificates under a root, with keys on P-256, P-384 and P-521, RSA keys with both paddings, and Ed25519 keys: good ones,
and each of them with each fault. Every verdict of ours must be the one that is right for the fault, and the other library's must be the
same, unless STRICTER or LAXER names the fault with the rule by which it differs. The exit status is 0 if so for at least 500 chains, 1 if not,
and 3 if there is no such library. --plant turns our verdict about one fault over,
to show that the comparison notices.
"""

import argparse
import datetime
import pathlib
import random
import subprocess
import sys
import tempfile
import base64
import collections

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "TestVectors"))
from generator.octets import der as tlv

CANNOT_RUN = 3
LEAST = 500
NOW = datetime.datetime(2026, 7, 1)
AT = "1782864000"

try:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
    from cryptography.x509 import verification
    EXTENSION_POLICY = verification.ExtensionPolicy
except (ImportError, AttributeError) as missing:
    print(f"CAN'T RUN: no chains were compared: {missing} (cryptography 45 has it)", file=sys.stderr)
    sys.exit(CANNOT_RUN)

# Where the other library accepts what is refused here, and by which rule of ours.
STRICTER = {
    "reversed": "the chain comes in order; it searches",
    "leaf twice": "every certificate up to the one that a root has issued belongs to the chain; it leaves out what it does not need",
    "authority twice": "every certificate up to the one that a root has issued belongs to the chain",
    "other key identifier": "the authority key identifier must not name another key, unless a root has issued the certificate",
    "RSA exponent 3": "exponents are 65537 or more",
    "RSA exponent 1": "the leaf's key is examined; it leaves that to whoever uses the key",
    "RSA 1024": "the leaf's key is examined",
    "point not on the curve": "the leaf's key is examined",
    "serial 0": "serial numbers are positive",
    "keyUsage with zeros": "extensions are in strict DER",
    "empty subjectAltName": "subjectAltName has at least one name",
    "empty subject": "a leaf without a name has a critical subjectAltName",
}
# Where the other library refuses what is accepted here, and by which rule of its own.
LAXER = {
    "RSA without NULL": "parameters of RSA signatures are there (RFC 4055 section 5 has them accepted either way)",
    "names: URI at the host": "it reads no constraints on URIs",
    "Ed25519": "Ed25519 is not among the algorithms of its profile, that of the web",
}


# DER

def oid(text):
    numbers = [int(part) for part in text.split(".")]
    contents = b""
    for number in [numbers[0] * 40 + numbers[1]] + numbers[2:]:
        octets = [number & 0x7F]
        while number := number >> 7:
            octets.insert(0, number & 0x7F | 0x80)
        contents += bytes(octets)
    return tlv(0x06, contents)


def sequence(*parts):
    return tlv(0x30, *parts)


NULL, TRUE, FALSE = b"\x05\x00", b"\x01\x01\xff", b"\x01\x01\x00"


def name(text, tag=0x0C):
    return sequence(tlv(0x31, sequence(oid("2.5.4.3"), tlv(tag, text.encode()))))


def time(text):
    return tlv(0x17 if len(text) == 13 else 0x18, text.encode())


def extension(identifier, value, critical=b""):
    return identifier, sequence(oid(identifier), critical, tlv(0x04, value))


def basic_constraints(authority, length=None):
    contents = (TRUE if authority else b"") + (b"" if length is None else tlv(0x02, bytes([length])))
    return extension("2.5.29.19", sequence(contents), TRUE)


def key_usage(*octets):
    return extension("2.5.29.15", tlv(0x03, bytes(octets)), TRUE)


# Keys

class Signer:
    """A key that issues certificates, with one of its algorithms."""

    made = {}

    def __init__(self, kind, rng):
        self.kind = kind
        self.hash = {"P-256": "SHA256", "P-384": "SHA384", "P-521": "SHA512"}.get(
            kind, rng.choice(["SHA256", "SHA384", "SHA512"]))
        if kind == "P-384" and rng.random() < 0.3:
            self.hash = "SHA256"
        # RSA keys are slow to make, so one is used for all.
        if kind.startswith("RSA"):
            Signer.made["RSA"] = self.key = Signer.made.get("RSA") or rsa.generate_private_key(65537, 2048)
        else:
            self.key = {
                "P-256": lambda: ec.generate_private_key(ec.SECP256R1()),
                "P-384": lambda: ec.generate_private_key(ec.SECP384R1()),
                "P-521": lambda: ec.generate_private_key(ec.SECP521R1()),
                "Ed25519": ed25519.Ed25519PrivateKey.generate,
            }[kind]()

    @property
    def public(self):
        return self.key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)

    @property
    def algorithm(self):
        last = {"SHA256": 0, "SHA384": 1, "SHA512": 2}[self.hash]
        if self.kind == "Ed25519":
            return sequence(oid("1.3.101.112"))
        if self.kind == "RSA":
            return sequence(oid(f"1.2.840.113549.1.1.{11 + last}"), NULL)
        if self.kind == "RSA-PSS":
            function = sequence(oid(f"2.16.840.1.101.3.4.2.{1 + last}"), NULL)
            mask = sequence(oid("1.2.840.113549.1.1.8"), function)
            salt = tlv(0x02, bytes([[32, 48, 64][last]]))
            return sequence(
                oid("1.2.840.113549.1.1.10"), sequence(tlv(0xA0, function), tlv(0xA1, mask), tlv(0xA2, salt)))
        return sequence(oid(f"1.2.840.10045.4.3.{2 + last}"))

    def sign(self, body):
        function = getattr(hashes, self.hash)()
        if self.kind == "Ed25519":
            return self.key.sign(body)
        if self.kind == "RSA":
            return self.key.sign(body, padding.PKCS1v15(), function)
        if self.kind == "RSA-PSS":
            return self.key.sign(
                body, padding.PSS(padding.MGF1(getattr(hashes, self.hash)()), function.digest_size), function)
        return self.key.sign(body, ec.ECDSA(function))


class Draft:
    """A certificate before it is signed."""

    def __init__(self, subject, issuer, signer, key, extensions):
        self.subject, self.issuer = name(subject), name(issuer)
        self.signer, self.public = signer, key.public
        self.extensions = collections.OrderedDict(extensions)
        self.version, self.serial = b"\x02", b"\x17" + random.randbytes(8)
        self.begin, self.end = time("260101000000Z"), time("270101000000Z")
        self.inner = self.outer = signer.algorithm
        self.unique = self.more = b""
        self.spoil_body = self.spoil_signature = self.spoil = lambda octets: octets

    def set(self, pair):
        self.extensions[pair[0]] = pair[1]

    def drop(self, identifier):
        self.extensions.pop(identifier, None)

    @property
    def der(self):
        version = b"" if self.version is None else tlv(0xA0, tlv(0x02, self.version))
        listed = b"".join(self.extensions.values()) + self.more
        extensions = tlv(0xA3, sequence(listed)) if listed else b""
        body = sequence(
            version, tlv(0x02, self.serial), self.inner, self.issuer, sequence(self.begin, self.end), self.subject,
            self.public, self.unique, extensions)
        signature = self.spoil_signature(self.signer.sign(body))
        return self.spoil(sequence(self.spoil_body(body), self.outer, tlv(0x03, b"\x00" + signature)))


class World:
    """A root, authorities and a leaf."""

    def __init__(self, kinds, rng):
        self.kinds = kinds
        signers = [Signer(kind, rng) for kind in kinds]
        self.signers = signers
        self.other = Signer("P-256", rng)
        identifiers = [bytes([index]) * 20 for index in range(len(kinds))]
        self.drafts = []
        for index, signer in enumerate(signers):
            issuer = max(index - 1, 0)
            is_leaf = index == len(signers) - 1
            extensions = [
                extension("2.5.29.14", tlv(0x04, identifiers[index])),
                key_usage(7, 0x80) if is_leaf else key_usage(1, 0x06),
            ]
            if index > 0:
                extensions.append(extension("2.5.29.35", sequence(tlv(0x80, identifiers[issuer]))))
            if is_leaf:
                extensions.append(extension("2.5.29.17", sequence(tlv(0x82, b"leaf.example"))))
            else:
                below = len(signers) - 2 - index
                extensions.append(basic_constraints(True, rng.choice([None, below, below + 1])))
            self.drafts.append(Draft(f"N{index}", f"N{issuer}", signers[issuer], signer, extensions))
        self.order = lambda chain: chain
        self.at = NOW

    @property
    def root(self):
        return self.drafts[0]

    @property
    def authority(self):
        """The one that issued the leaf."""
        return self.drafts[-2]

    @property
    def leaf(self):
        return self.drafts[-1]


# Faults: what is changed, and whether the chain is still good, which may depend on its length.

FAULTS = collections.OrderedDict()


def fault(title, good=False, needs=lambda world: True):
    def register(change):
        FAULTS[title] = (change, good, needs)
        return change
    return register


def has_authority(world):
    return len(world.drafts) > 2


def two_authorities(world):
    return len(world.drafts) > 3


# What follows the certificate that a root has issued is not looked at, and a root that was issued anew has another key
# identifier than the one that its certificates name.

def has_no_authority(world):
    return not has_authority(world)


def has_one_authority(world):
    return has_authority(world) and not two_authorities(world)


def is_ecdsa(world):
    return world.leaf.signer.kind.startswith("P-")


def is_rsa(world):
    return world.leaf.signer.kind.startswith("RSA")


def flip(index):
    def change(octets):
        octets = bytearray(octets)
        octets[index] ^= 1
        return bytes(octets)
    return change


def attribute(draft, **values):
    def change(world):
        for key, value in values.items():
            setattr(draft(world), key, value(world) if callable(value) and key[:5] != "spoil" else value)
    return change


def leaf(**values):
    return attribute(lambda world: world.leaf, **values)


def authority(**values):
    return attribute(lambda world: world.authority, **values)


def both_algorithms(octets):
    return leaf(inner=octets, outer=octets)


def extend(pair, draft=lambda world: world.leaf):
    return lambda world: draft(world).set(pair)


def of_authority(world):
    return world.authority


fault("nothing", good=True)(lambda world: None)
fault("leaf signature")(leaf(spoil_signature=flip(-1)))
fault("authority signature", needs=has_authority)(authority(spoil_signature=flip(-1)))
fault("serial changed")(leaf(spoil_body=flip(13)))
fault("signature of another key")(lambda world: setattr(world.leaf, "signer", Signer(world.leaf.signer.kind, random)) if not is_rsa(world) else setattr(world.leaf, "spoil_signature", flip(5)))
fault("outer algorithm")(leaf(outer=sequence(oid("1.2.840.10045.4.3.9"))))
fault("unknown algorithm")(both_algorithms(sequence(oid("1.2.3.4"))))
fault("ECDSA with SHA-1")(both_algorithms(sequence(oid("1.2.840.10045.4.1"))))
fault("RSA with SHA-1")(both_algorithms(sequence(oid("1.2.840.113549.1.1.5"), NULL)))
fault("ECDSA with NULL", needs=is_ecdsa)(lambda world: both_algorithms(sequence(world.leaf.inner[2:], NULL))(world))
fault("r and s side by side", needs=is_ecdsa)(leaf(spoil_signature=lambda octets: octets[4:]))
fault("octet after the signature", needs=is_ecdsa)(leaf(spoil_signature=lambda octets: octets + b"\x00"))
fault("r zero", needs=is_ecdsa)(leaf(spoil_signature=lambda octets: sequence(tlv(2, b"\x00"), tlv(2, b"\x01"))))
fault("RSA without NULL", good=True, needs=lambda world: world.leaf.signer.kind == "RSA")(
    lambda world: both_algorithms(sequence(world.leaf.inner[2:-2]))(world))
fault("signature too short", needs=is_rsa)(leaf(spoil_signature=lambda octets: octets[:-1]))
fault("expired")(leaf(end=time("260630235959Z")))
fault("last second", good=True)(leaf(end=time("260701000000Z")))
fault("first second", good=True)(leaf(begin=time("260701000000Z")))
fault("not yet valid")(leaf(begin=time("260701000001Z")))
fault("authority expired", needs=has_authority)(authority(end=time("260630235959Z")))
fault("root expired")(attribute(lambda world: world.root, end=time("260630235959Z")))
fault("no seconds")(leaf(end=time("2701010000Z")))
fault("offset")(leaf(end=tlv(0x17, b"270101000000+0000")))
fault("fraction")(leaf(end=time("20510101000000.5Z")))
fault("2049 as GeneralizedTime")(leaf(end=time("20490101000000Z")))
fault("2050 as GeneralizedTime", good=True)(leaf(end=time("20500101000000Z")))
fault("30 February")(leaf(end=time("270230000000Z")))
fault("29 February 2027")(leaf(end=time("270229000000Z")))
fault("29 February 2028", good=True)(leaf(end=time("280229000000Z")))
fault("second 60")(leaf(end=time("261231235960Z")))
fault("end before beginning")(leaf(end=time("251231235959Z")))
fault("no end", good=True)(leaf(end=time("99991231235959Z")))
fault("other issuer")(leaf(issuer=name("Somebody")))
fault("issuer as PrintableString")(lambda world: setattr(world.leaf, "issuer", name(f"N{len(world.drafts) - 2}", 0x13)))
fault("issuer in small letters")(lambda world: setattr(world.leaf, "issuer", name(f"n{len(world.drafts) - 2}")))
fault("empty issuer")(leaf(issuer=sequence()))
fault("empty subject")(leaf(subject=sequence()))
fault("other key identifier", good=has_no_authority)(extend(extension("2.5.29.35", sequence(tlv(0x80, b"other")))))
fault("no key identifier", good=True)(lambda world: world.leaf.drop("2.5.29.35"))
fault("authority without basicConstraints")(lambda world: world.authority.drop("2.5.29.19"))
fault("authority that does not say so")(extend(basic_constraints(False), of_authority))
fault("cA FALSE written out")(extend(extension("2.5.29.19", sequence(FALSE), TRUE), of_authority))
fault("cA as 01")(extend(extension("2.5.29.19", sequence(b"\x01\x01\x01"), TRUE), of_authority))
fault("pathLen 0 with an authority below", needs=two_authorities)(
    lambda world: world.drafts[-3].set(basic_constraints(True, 0)))
fault("root pathLen 0", needs=has_authority)(lambda world: world.root.set(basic_constraints(True, 0)))
fault("negative pathLen")(extend(extension("2.5.29.19", sequence(TRUE, tlv(2, b"\xff")), TRUE), of_authority))
fault("pathLen of no authority")(extend(extension("2.5.29.19", sequence(tlv(2, b"\x00")), TRUE)))
fault("leaf is an authority")(extend(basic_constraints(True)))
fault("leaf says that it is none", good=True)(extend(basic_constraints(False)))
fault("authority does not sign certificates")(extend(key_usage(7, 0x80), of_authority))
fault("leaf signs certificates")(extend(key_usage(2, 0x84)))
fault("leaf does not sign")(extend(key_usage(4, 0x30)))
fault("leaf commits to contents", good=True)(extend(key_usage(6, 0x40)))
fault("leaf without keyUsage", good=True)(lambda world: world.leaf.drop("2.5.29.15"))
fault("keyUsage without a bit")(extend(key_usage(0)))
fault("keyUsage with zeros")(extend(key_usage(0, 0x80)))
fault("unknown critical extension")(extend(extension("1.2.3.4", b"\x05\x00", TRUE)))
fault("unknown critical extension of the authority")(extend(extension("1.2.3.4", b"\x05\x00", TRUE), of_authority))
fault("unknown extension", good=True)(extend(extension("1.2.3.4", b"\x05\x00")))
fault("extension twice")(leaf(more=extension("1.2.3.4", NULL)[1] * 2))
fault("known extension twice")(leaf(more=key_usage(7, 0x80)[1]))
fault("critical FALSE")(extend(extension("1.2.3.4", NULL, FALSE)))
fault("critical as 01")(extend(extension("1.2.3.4", NULL, b"\x01\x01\x01")))
fault("critical policyConstraints", needs=has_authority)(
    extend(extension("2.5.29.36", sequence(tlv(0x80, b"\x00")), TRUE), of_authority))
fault("excluded name")(
    extend(extension("2.5.29.30", sequence(tlv(0xA1, sequence(tlv(0x82, b"example")))), TRUE), of_authority))
fault("empty subjectAltName")(extend(extension("2.5.29.17", sequence())))
fault("version 1")(lambda world: (setattr(world.leaf, "version", None), world.leaf.extensions.clear()))
fault("version 1 with extensions")(leaf(version=None))
fault("version 4")(leaf(version=b"\x03"))
fault("serial 0")(leaf(serial=b"\x00"))
fault("serial negative")(leaf(serial=b"\x80"))
fault("serial of 22 octets")(leaf(serial=b"\x7f" * 22))
fault("serial of 20 octets", good=True)(leaf(serial=b"\x7f" * 20))
fault("serial not minimal")(leaf(serial=b"\x00\x01"))
fault("octet after the certificate")(leaf(spoil=lambda octets: octets + b"\x00"))
fault("length not minimal")(leaf(spoil=lambda octets: b"\x30\x83\x00" + octets[2:]))
fault("indefinite length")(leaf(spoil=lambda octets: b"\x30\x80" + octets[4:] + b"\x00\x00"))
fault("point not on the curve", needs=lambda world: world.kinds[-1].startswith("P-"))(
    lambda world: setattr(world.leaf, "public", flip(-1)(world.leaf.public)))
fault("RSA 1024")(leaf(public=lambda world: rsa_key(1024, 65537)))
fault("RSA exponent 1")(leaf(public=lambda world: rsa_key(2048, 1)))
fault("RSA exponent 3")(leaf(public=lambda world: rsa_key(2048, 3)))
fault("reversed", needs=has_authority)(lambda world: setattr(world, "order", lambda chain: [chain[0]] + chain[:0:-1]) if two_authorities(world) else setattr(world, "order", lambda chain: chain[::-1]))
fault("authority missing", needs=has_authority)(lambda world: setattr(world, "order", lambda chain: chain[:1] + chain[2:]))
fault("leaf twice", good=has_no_authority)(lambda world: setattr(world, "order", lambda chain: chain[:1] + chain))
fault("authority twice", good=has_one_authority, needs=has_authority)(lambda world: setattr(world, "order", lambda chain: chain[:2] + chain[1:]))
fault("unrelated", good=True)(lambda world: setattr(world, "order", lambda chain: chain + [unrelated()]))
fault("another root of that name")(lambda world: setattr(world.drafts[1], "signer", Signer("P-256", random)) or restate(world))
fault("self-signed leaf")(lambda world: (
    setattr(world.leaf, "issuer", world.leaf.subject), setattr(world.leaf, "signer", world.signers[-1]), restate(world, -1),
    setattr(world, "order", lambda chain: chain[:1])))


def restate(world, index=1):
    draft = world.drafts[index]
    draft.inner = draft.outer = draft.signer.algorithm
    draft.drop("2.5.29.35")


# Names and constraints on them

def dns(text):
    return tlv(0x82, text.encode())


def email(text):
    return tlv(0x81, text.encode())


def uri(text):
    return tlv(0x86, text.encode())


def ip(*octets):
    return tlv(0x87, bytes(octets))


def constrain(draft, permitted=(), excluded=()):
    def subtrees(tag, bases):
        return tlv(tag, *(sequence(base) for base in bases)) if bases else b""
    draft.set(extension("2.5.29.30", sequence(subtrees(0xA0, permitted), subtrees(0xA1, excluded)), TRUE))


def named(title, good, names, permitted=(), excluded=(), by=lambda world: world.authority):
    def change(world):
        constrain(by(world), permitted, excluded)
        world.leaf.set(extension("2.5.29.17", sequence(*names)))
    fault(f"names: {title}", good=good)(change)


TEN = ip(10, 0, 0, 0, 255, 0, 0, 0)
named("DNS name within", True, [dns("a.example.com")], [dns("example.com")])
named("DNS name that is the base", True, [dns("EXAMPLE.com")], [dns("example.COM")])
named("DNS name outside", False, [dns("a.example.org")], [dns("example.com")])
named("DNS name that only ends alike", False, [dns("anexample.com")], [dns("example.com")])
named("one DNS name of two outside", False, [dns("a.example.com"), dns("a.org")], [dns("example.com")])
named("DNS name within one of two", True, [dns("a.example.org")], [dns("example.com"), dns("example.org")])
named("DNS name excluded", False, [dns("a.example.com")], excluded=[dns("example.com")])
named("DNS name not excluded", True, [dns("a.example.org")], excluded=[dns("example.com")])
named("DNS name permitted and excluded", False, [dns("b.a.org")], [dns("org")], [dns("a.org")])
named("wildcard within", True, [dns("*.example.com")], [dns("example.com")])
named("wildcard of what is excluded", False, [dns("*.example.com")], excluded=[dns("a.example.com")])
named("wildcard wider than permitted", False, [dns("*.example.com")], [dns("a.example.com")])
named("DNS name in A-labels", True, [dns("a.xn--bcher-kva.example")], [dns("xn--bcher-kva.example")])
named("DNS name with a NUL", False, [dns("a.example.com\0.org")])
named("DNS name with an empty label", False, [dns("a..example.com")], [dns("example.com")])
named("DNS name beyond ASCII", False, [dns("b\u00fccher.example")], [dns("example")])
named("IP address within", True, [ip(10, 1, 2, 3)], [TEN])
named("IP address outside", False, [ip(11, 1, 2, 3)], [TEN])
named("IP address excluded", False, [ip(10, 1, 2, 3)], excluded=[TEN])
named("IPv6 address, and IPv4 permitted", False, [ip(*[10] * 16)], [TEN])
named("mask with a hole", False, [ip(10, 1, 2, 3)], [ip(10, 0, 0, 0, 255, 0, 255, 0)])
named("DNS name, and an IP address permitted", True, [dns("a.example")], [TEN])
named("address at the host", True, [email("a@example.com")], [email("example.com")])
named("address at another host", False, [email("a@b.example.com")], [email("example.com")])
named("address below the domain", True, [email("a@b.example.com")], [email(".example.com")])
named("address that is the base", True, [email("a@example.com")], [email("a@example.com")])
named("address excluded", False, [email("a@example.com")], excluded=[email("example.com")])
named("URI at the host", True, [uri("https://example.com/a")], [uri("example.com")])
named("URI at another host", False, [uri("https://example.org/a")], [uri("example.com")])
named("URI with the host as a user", False, [uri("https://example.com@example.org/")], [uri("example.com")])
named("URI without a host", False, [uri("urn:a:b")], [uri("example.com")])
named("no subtrees", False, [dns("a.example")])
named("DNS name outside, by the root", False, [dns("a.example.org")], [dns("example.com")], by=lambda world: world.root)
named("DNS name within, by the root", True, [dns("a.example.com")], [dns("example.com")], by=lambda world: world.root)


def rsa_key(bits, exponent):
    number = (1 << bits) - 1
    key = sequence(tlv(2, b"\x00" + number.to_bytes(bits // 8, "big")), tlv(2, exponent.to_bytes((exponent.bit_length() + 7) // 8, "big")))
    return sequence(sequence(oid("1.2.840.113549.1.1.1"), NULL), tlv(3, b"\x00" + key))


def unrelated():
    key = Signer("P-256", random)
    return Draft("Unrelated", "Unrelated", key, key, [basic_constraints(True), key_usage(1, 0x06)]).der


# Verdicts

def pem(octets):
    text = base64.encodebytes(octets).decode().replace("\n", "")
    lines = "\n".join(text[start:start + 64] for start in range(0, len(text), 64))
    return f"-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----\n"


def ours(jose, folder, root, chain):
    path = f"{folder}/root.der"
    with open(path, "wb") as file:
        file.write(root)
    done = subprocess.run(
        [jose, "certificate", "verify", "--root", path, "--at", AT, "--purpose", "sign"],
        input="".join(map(pem, chain)).encode(), capture_output=True, check=False)
    # A root that is none is a mistake of the caller, and no less refused.
    if done.returncode not in (0, 1, 2) or bool(done.stdout) != (done.returncode == 0):
        raise RuntimeError(f"jose ended with {done.returncode}: {done.stderr.decode()}")
    return done.returncode == 0, done.stderr.decode().strip()


def no_authority(_policy, _certificate, constraints):
    if constraints is not None and constraints.ca:
        raise ValueError("the leaf is an authority")


def for_signatures(_policy, _certificate, usage):
    if usage is not None and (usage.key_cert_sign or not (usage.digital_signature or usage.content_commitment)):
        raise ValueError("the key is not for signatures")


def theirs(root, chain):
    agnostic = verification.Criticality.AGNOSTIC
    leaves = EXTENSION_POLICY.permit_all().may_be_present(x509.BasicConstraints, agnostic, no_authority)
    leaves = leaves.may_be_present(x509.KeyUsage, agnostic, for_signatures)
    try:
        store = verification.Store([x509.load_der_x509_certificate(root)])
        certificates = [x509.load_der_x509_certificate(octets) for octets in chain]
        verifier = verification.PolicyBuilder().store(store).time(NOW).extension_policies(
            ee_policy=leaves, ca_policy=EXTENSION_POLICY.webpki_defaults_ca()).build_client_verifier()
        verifier.verify(certificates[0], certificates[1:])
        return True, ""
    except (verification.VerificationError, ValueError, TypeError, x509.InvalidVersion) as error:
        return False, f"{type(error).__name__}: {error}"
    except Exception as error:  # Whatever a library throws is no acceptance.
        return False, f"{type(error).__name__}: {error}"


SHAPES = [
    ["P-256", "P-256"], ["P-384", "P-256", "P-256"], ["P-384", "P-384", "P-256"], ["P-521", "P-256", "P-384"],
    ["P-256", "P-521", "P-521"], ["RSA", "RSA", "P-256"], ["RSA-PSS", "RSA-PSS", "RSA"], ["RSA", "P-256", "RSA"],
    ["P-256", "P-384", "P-256", "P-256"], ["RSA-PSS", "P-384", "RSA", "P-521"], ["Ed25519", "P-256", "P-256"],
    ["P-256", "Ed25519", "Ed25519"],
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jose")
    parser.add_argument("--plant", metavar="FAULT", choices=list(FAULTS), help="turn our verdict about this fault over")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    count, good_count, failures = 0, 0, []
    used = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for shape in SHAPES:
            for title, (change, good, needs) in FAULTS.items():
                world = World(shape, rng)
                if not needs(world):
                    continue
                good = good(world) if callable(good) else good
                change(world)
                chain = world.order([draft.der for draft in world.drafts[:0:-1]])
                root = world.root.der
                our_verdict, our_reason = ours(arguments.jose, folder, root, chain)
                their_verdict, their_reason = theirs(root, chain)
                our_verdict ^= title == arguments.plant
                count += 1
                good_count += good
                what = f"{' <- '.join(reversed(shape))}: {title}"
                if our_verdict != good:
                    failures.append(f"{what}: ours is {our_verdict} ({our_reason}), and it should be {good}")
                if our_verdict == their_verdict:
                    continue
                rule = "Ed25519" if "Ed25519" in shape and not their_verdict else title
                if rule in (STRICTER if their_verdict else LAXER):
                    used[rule] += 1
                else:
                    failures.append(
                        f"{what}: ours is {our_verdict} ({our_reason}), theirs {their_verdict} ({their_reason})")
    for rule, text in (STRICTER | LAXER).items():
        print(f"differs {used[rule]:3} times, {rule}: {text}")
    for failure in failures:
        print(f"FAILED {failure}")
    print(
        f"{count} chains, {good_count} of them good: {len(failures)} failures, {sum(used.values())} differences by rule, "
        f"the same verdict on the rest")
    return 0 if not failures and count >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
