"""What the calculator of Program/ is asked about a test of a vector file, and what it must answer."""
import base64
import glob
import os
import re

def point(key):
    return "04" + key["x"] + key["y"]


class AnythingBut(str):
    """An answer that must not be given. `refused` is as good as another one."""


class StartsWith(str):
    """The beginning of the right answer."""


class DoesNotStartWith(str):
    """A beginning that the right answer doesn't have, or one of another length than the group's."""

    def __new__(cls, text, size):
        made = super().__new__(cls, text)
        made.size = size
        return made


def is_expected(answer, expected):
    if isinstance(expected, StartsWith):
        return answer.startswith(expected)
    if isinstance(expected, DoesNotStartWith):
        return len(expected) * 4 != expected.size or not answer.startswith(expected)
    if isinstance(expected, AnythingBut):
        return answer != expected
    return answer in expected if isinstance(expected, tuple) else answer == (expected or "-")


def all_questions(document, group, test):
    """What to ask about a test of any kind: the questions for every target, and those of kinds that only some are asked."""
    found = questions(dict(group, sha=group.get("sha", "")), test) if asks_every_target(document, group) else further(document, group, test)
    return found if isinstance(found, str) else [(words, expected) for words, expected in found]


def asks_every_target(document, group):
    if group["type"] in ("Hash", "HashRepeated"):
        return True
    if group["type"] == "AeadTest":
        return "GCM" in group.get("algorithm", document.get("algorithm", ""))
    return curve_name(group) in ("P-256", "secp256r1")


def curve_name(group):
    """The group's curve, or that of its public key; none for a key of lattices, which is a text."""
    key = group.get("publicKey")
    return group.get("curve") or (key.get("curve", "") if isinstance(key, dict) else "")


def octets(text):
    """The octets of base64url, in hexadecimal."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).hex()


def integer(value, size=4):
    return int(value).to_bytes(size, "big").hex()


def scalar(text, size):
    """An integer in hexadecimal with so many octets; as it is if it has more."""
    stripped = text.lstrip("0")
    return stripped.rjust(2 * size, "0") if len(stripped) <= 2 * size else text


def hash_name(text):
    """sha256 from SHA-256 or HMACSHA256; none for functions that are not asked for."""
    found = re.search(r"SHA-?(256|384|512)$", text)
    return "sha" + found[1] if found and "SHA512/" not in text and "3-" not in text else None


CURVES = {"P-384": ("p384", 48, "SHA-384"), "secp384r1": ("p384", 48, "SHA-384"), "P-521": ("p521", 66, "SHA-512"),
          "secp521r1": ("p521", 66, "SHA-512"), "secp256k1": ("secp256k1", 32, "SHA-256")}


def further(document, group, test):
    """What to ask about a test of a kind that not every target is asked."""
    kind, valid = group["type"], test["result"] == "valid"
    algorithm = group.get("algorithm", document.get("algorithm", ""))
    if test["result"] == "acceptable":
        return "either result is right"
    if kind == "AesBlock":
        return [(("aes-encrypt", test["key"], test["pt"]), test["ct"]), (("aes-decrypt", test["key"], test["ct"]), test["pt"])]
    if kind == "AesCbc":
        key, iv, plain, cipher = (test[name] for name in ("key", "iv", "pt", "ct"))
        return [(("cbc-encrypt", key, iv, plain), cipher), (("cbc-decrypt", key, iv, cipher), plain)]
    if kind == "AeadTest":
        if "CBC" not in algorithm:
            return f"{algorithm} is not asked for"
        key, iv, aad, msg, ct, tag = (test[name] for name in ("key", "iv", "aad", "msg", "ct", "tag"))
        asked = [(("cbc-hmac-open", key, iv, aad, ct, tag), msg if valid else "refused")]
        return asked + ([(("cbc-hmac-seal", key, iv, aad, msg), ct + tag)] if valid else [])
    if kind == "KeywrapTest":
        asked = [(("unwrap", test["key"], test["ct"]), test["msg"] if valid else "refused")]
        return asked + ([(("wrap", test["key"], test["msg"]), test["ct"])] if valid else [])
    if kind == "MacTest":
        name = hash_name(algorithm)
        if not name:
            return f"{algorithm} is not asked for"
        right = StartsWith(test["tag"]) if valid else DoesNotStartWith(test["tag"], group["tagSize"])
        return [(("hmac-" + name, test["key"], test["msg"]), right)]
    if kind == "HkdfTest":
        asked = ("hkdf", test["ikm"], test["salt"], test["info"], integer(test["size"]))
        return [(asked, test["okm"] if valid else "refused")]
    if kind == "PbkdfTest":
        name = hash_name(algorithm)
        if not name or test["iterationCount"] > 10000:
            return "too many iterations" if name else f"{algorithm} is not asked for"
        asked = ("pbkdf2-" + name, test["password"], test["salt"], integer(test["iterationCount"]), integer(test["dkLen"]))
        return [(asked, test["dk"] if valid else "refused")]
    if kind == "ConcatKdf" and group["sha"] == "SHA-256":
        return [(("concat-kdf", test["z"], test["otherInfo"], integer(test["keyDataLen"])),
                 test["derivedKey"] if valid else AnythingBut(test["derivedKey"]))]
    if kind == "EddsaSign":
        return [(("ed25519-sign", test["sk"], test["msg"]), test["sig"]), (("ed25519-public", test["sk"]), test["pk"])]
    if kind == "EddsaVerify":
        key = group.get("key") or group["publicKey"]
        return [(("ed25519-verify", key["pk"], test["msg"], test["sig"]), "01" if valid else ("00", "refused"))]
    if kind == "XdhComp":
        return [(("x25519", test["private"], test["public"]), test["shared"] if valid else "refused")]
    if kind in ("RsassaPkcs1Verify", "RsassaPssVerify"):
        key, name = group.get("key") or group["publicKey"], hash_name(group["sha"])
        if not name or (kind == "RsassaPssVerify" and (group["sLen"] * 8 != int(name[3:]) or group["mgfSha"] != group["sha"])):
            return f"{kind} with these parameters is not asked for"
        operation = ("rsa-pkcs1-" if kind == "RsassaPkcs1Verify" else "rsa-pss-") + name
        n, e = key.get("n") or key["modulus"].removeprefix("00"), key.get("e") or key["publicExponent"]
        return [((operation, n, e, test["msg"], test["sig"]), "01" if valid else ("00", "refused"))]
    if kind == "RsaesOaepDecrypt":
        if group["sha"] not in ("SHA-1", "SHA-256") or test.get("label") or group.get("mgfSha", group["sha"]) != group["sha"]:
            return f"{kind} with these parameters is not asked for"
        key = group.get("key") or group.get("privateKeyJwk")
        if not key:
            return "the key is not given as numbers"
        numbers = [octets(key[name]) for name in ("n", "e", "d", "p", "q", "dp", "dq", "qi")]
        return [(("rsa-oaep-" + group["sha"].lower().replace("-", ""), *numbers, test["ct"]), test["msg"] if valid else "refused")]
    curve = curve_name(group)
    if curve in CURVES:
        return on_curve(*CURVES[curve], kind, group, test, valid)
    return f"{kind} is not asked for"


def on_curve(name, size, function, kind, group, test, valid):
    """P-384, P-521 and secp256k1, each with its own hash function."""
    if group.get("sha", function) != function:
        return f"{kind} with {group['sha']} is not asked for"
    if kind in ("EcdsaP1363Verify", "EcdsaVerify"):
        key = test.get("key") or group.get("key") or group["publicKey"]
        operation = name + ("-verify" if kind == "EcdsaP1363Verify" else "-verify-der")
        return [((operation, key.get("uncompressed") or point(key), test["msg"], test["sig"]), "01" if valid else ("00", "refused"))]
    if kind == "EcdsaDeterministicSign":
        key = group["key"]
        return [((name + "-sign", key["d"], test["msg"]), test["sig"]), ((name + "-public", key["d"]), point(key))]
    if kind == "EcdsaSignWithK":
        return [((name + "-sign-with-nonce", scalar(test["d"], size), scalar(test["k"], size), test["msg"]), test["sig"] if valid else "refused")]
    if kind == "EcKeyPair":
        return [((name + "-public", scalar(test["d"], size)), point(test) if valid else AnythingBut(point(test)))]
    if kind == "EcPublicKey":
        return [((name + "-point", point(test)), point(test) if valid else "refused")]
    if kind == "EcdhTest" and isinstance(test["public"], dict) and valid:
        return [((name + "-agree", scalar(test["private"], size), point(test["public"])), test["shared"])]
    return f"{kind} on this curve is not asked for"


def questions(group, test):
    """What to ask about a test, each with the answer to expect; or the reason why nothing is asked."""
    kind, valid = group["type"], test["result"] == "valid"
    if test["result"] == "acceptable":
        return "either result is right"
    curve = group.get("curve", "")
    if curve not in ("", "P-256", "secp256r1"):
        return f"{curve} is not asked for"
    if kind == "Hash" or kind == "HashRepeated":
        name = group["sha"].replace("SHA-", "sha")
        if name not in ("sha256", "sha384", "sha512"):
            return f"{group['sha']} is not asked for"
        return [((name, test["msg"] * int(test.get("repeat", 1))), test["digest"])]
    if kind == "AeadTest":
        if group.get("algorithm", "AES-GCM") != "AES-GCM":
            return f"{group['algorithm']} is not asked for"
        if group["tagSize"] != 128:
            return "the tag is shorter than 128 bits"
        key, iv, aad, msg, ct, tag = (test[name] for name in ("key", "iv", "aad", "msg", "ct", "tag"))
        asked = [(("gcm-open", key, iv, aad, ct, tag), msg if valid else "refused")]
        if valid:
            asked.append((("gcm-seal", key, iv, aad, msg), ct + tag))
        return asked
    if kind in ("EcdsaP1363Verify", "EcdsaVerify"):
        if group["sha"] != "SHA-256":
            return f"P-256 with {group['sha']} is not asked for"
        key = test.get("key") or group.get("key") or group["publicKey"]
        encoded = key.get("uncompressed") or point(key)
        if encoded[:2] != "04" or len(encoded) != 130:
            return "another curve is not asked for"
        name = "p256-verify" if kind == "EcdsaP1363Verify" else "p256-verify-der"
        return [((name, encoded, test["msg"], test["sig"]), "01" if valid else ("00", "refused"))]
    if kind == "EcdsaDeterministicSign" and group["sha"] == "SHA-256":
        key = group["key"]
        return [(("p256-sign", key["d"], test["msg"]), test["sig"]), (("p256-public", key["d"]), point(key)),
                (("p256-sign-hedged", key["d"], test["msg"]), "01")]
    if kind == "EcdsaSignWithK" and group["sha"] == "SHA-256":
        return [(("p256-sign-with-nonce", test["d"], test["k"], test["msg"]), test["sig"] if valid else "refused"),
                (("p256-public", test["d"]), point(test))]
    if kind == "EcKeyPair":
        return [(("p256-public", test["d"]), point(test) if valid else AnythingBut(point(test)))]
    if kind == "EcPublicKey":
        return [(("p256-point", point(test)), point(test) if valid else "refused")]
    if kind == "EcPointEncoding":
        return [(("p256-point", test["encoded"]), point(test) if valid else "refused")]
    if kind == "EcdhTest" and isinstance(test["public"], dict):
        agreement = ("p256-agree", test["private"], point(test["public"]))
        own = point(test["ownPublic"]) if "ownPublic" in test else None
        if valid:
            return [(agreement, test["shared"])] + ([(("p256-public", test["private"]), own)] if own else [])
        if "OwnKeyInvalid" in test["flags"]:
            return [(("p256-public", test["private"]), AnythingBut(own))]
        return [(agreement, AnythingBut(test["shared"]) if "ZChanged" in test["flags"] else "refused")]
    if kind == "EcdhEcpointTest":
        private = test["private"].lstrip("0").rjust(64, "0")
        return [(("p256-agree", private, test["public"]), test["shared"] if valid else "refused")]
    return f"{kind} with {group['sha']} is not asked for" if "sha" in group else f"{kind} is not asked for"


def sources_of_vectors(folder, everything=False):
    """Files whose vectors this program can be asked; of the kinds that every target is asked, unless it is to be everything."""
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.json"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            head = file.read(400)
        if everything or re.search(r'"algorithm" *: *"(SHA-|AES-GCM|ECDSA|ECDH"|EC keys)', head):
            yield path
