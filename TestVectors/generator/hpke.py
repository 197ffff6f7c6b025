"""HPKE (RFC 9180): contexts with all that is derived, messages and exported secrets; and many of both, accumulated."""

import hashlib
import hmac

from cryptography.hazmat.primitives.asymmetric import ec, x25519
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from . import lattice_kems
from .envelope import VectorFile

INFO = b"Ode on a Grecian Urn"
PSK = bytes.fromhex("0247fd33b913760fa1fa51e1892d9f307fbe65eb171e8132c2af18555a738b82")
PSK_ID = b"Ennyn Durin aran Moria"
PLAINTEXT = b"Beauty is truth, truth beauty"

# Mode, KEM, KDF, AEAD, ikmE, ikmR of draft-ietf-hpke-hpke, appendix A; those of the mode base stand in RFC 9180 too.
CONTEXTS = [
    (
        0, 0x0020, 0x0001, 0x0001,
        "7268600d403fce431561aef583ee1613527cff655c1343f29812e66706df3234",
        "6db9df30aa07dd42ee5e8181afdb977e538f5e1fec8a06223f33f7013e525037",
    ),
    (
        1, 0x0020, 0x0001, 0x0001,
        "78628c354e46f3e169bd231be7b2ff1c77aa302460a26dbfa15515684c00130b",
        "d4a09d09f575fef425905d2ab396c1449141463f698f8efdb7accfaff8995098",
    ),
    (
        0, 0x0020, 0x0001, 0x0003,
        "909a9b35d3dc4713a5e72a4da274b55d3d3821a37e5d099e74a647db583a904b",
        "1ac01f181fdf9f352797655161c58b75c656a6cc2716dcb66372da835542e1df",
    ),
    (
        1, 0x0020, 0x0001, 0x0003,
        "35706a0b09fb26fb45c39c2f5079c709c7cf98e43afa973f14d88ece7e29c2e3",
        "26b923eade72941c8a85b09986cdfa3f1296852261adedc52d58d2930269812b",
    ),
    (
        0, 0x0010, 0x0001, 0x0001,
        "4270e54ffd08d79d5928020af4686d8f6b7d35dbe470265f1f5aa22816ce860e",
        "668b37171f1072f3cf12ea8a236a45df23fc13b82af3609ad1e354f6ef817550",
    ),
    (
        1, 0x0010, 0x0001, 0x0001,
        "2afa611d8b1a7b321c761b483b6a053579afa4f767450d3ad0f84a39fda587a6",
        "d42ef874c1913d9568c9405407c805baddaffd0898a00f1e84e154fa787b2429",
    ),
    (
        0, 0x0010, 0x0003, 0x0001,
        "4ab11a9dd78c39668f7038f921ffc0993b368171d3ddde8031501ee1e08c4c9a",
        "ea9ff7cc5b2705b188841c7ace169290ff312a9cb31467784ca92d7a2e6e1be8",
    ),
    (
        1, 0x0010, 0x0003, 0x0001,
        "c11d883d6587f911d2ddbc2a0859d5b42fb13bf2c8e89ef408a25564893856f5",
        "75bfc2a3a3541170a54c0b06444e358d0ee2b4fb78a401fd399a47a33723b700",
    ),
    (
        0, 0x0010, 0x0001, 0x0003,
        "f1f1a3bc95416871539ecb51c3a8f0cf608afb40fbbe305c0a72819d35c33f1f",
        "61092f3f56994dd424405899154a9918353e3e008171517ad576b900ddb275e7",
    ),
    (
        1, 0x0010, 0x0001, 0x0003,
        "e1a4e1d50c4bfcf890f2b4c7d6b2d2aca61368eddc3c84162df2856843e1057a",
        "ee51dec304abf993ef8fd52aacdd3b539108bbf6e491943266c1de89ec596a17",
    ),
    (
        0, 0x0012, 0x0003, 0x0002,
        "7f06ab8215105fc46aceeb2e3dc5028b44364f960426eb0d8e4026c2f8b5d7e7a986688f1591abf5ab753c357a5d6f0440414b4ed4ede71317772ac98d9239f70904",
        "2ad954bbe39b7122529f7dde780bff626cd97f850d0784a432784e69d86eccaade43b6c10a8ffdb94bf943c6da479db137914ec835a7e715e36e45e29b587bab3bf1",
    ),
    (
        1, 0x0012, 0x0003, 0x0002,
        "f3ebfa9a69a924e672114fcd9e06fa9559e937f7eccce4181a2b506df53dbe514be12f094bb28e01de19dd345b4f7ede5ad7eaa6b9c3019592ec68eaae9a14732ce0",
        "a2a2458705e278e574f835effecd18232f8a4c459e7550a09d44348ae5d3b1ea9d95c51995e657ad6f7cae659f5e186126a471c017f8f5e41da9eba74d4e0473e179",
    ),
    (
        0, 0x0020, 0x0001, 0xffff,
        "55bc245ee4efda25d38f2d54d5bb6665291b99f8108a8c4b686c2b14893ea5d9",
        "683ae0da1d22181e74ed2e503ebf82840deb1d5e872cade20f4b458d99783e31",
    ),
    (
        1, 0x0020, 0x0001, 0xffff,
        "c51211a8799f6b8a0021fcba673d9c4067a98ebc6794232e5b06cb9febcbbdf5",
        "5e0516b1b29c0e13386529da16525210c796f7d647c37eac118023a6aa9eb89a",
    ),
]

# KEM, KDF, AEAD, ikmE, ikmR of RFC 9180's vectors for the mode base.
ACCUMULATED = [
    (
        0x0020, 0x0001, 0x0001,
        "7268600d403fce431561aef583ee1613527cff655c1343f29812e66706df3234",
        "6db9df30aa07dd42ee5e8181afdb977e538f5e1fec8a06223f33f7013e525037",
    ),
    (
        0x0020, 0x0001, 0x0002,
        "2cd7c601cefb3d42a62b04b7a9041494c06c7843818e0ce28a8f704ae7ab20f9",
        "dac33b0e9db1b59dbbea58d59a14e7b5896e9bdf98fad6891e99d1686492b9ee",
    ),
    (
        0x0020, 0x0001, 0x0003,
        "909a9b35d3dc4713a5e72a4da274b55d3d3821a37e5d099e74a647db583a904b",
        "1ac01f181fdf9f352797655161c58b75c656a6cc2716dcb66372da835542e1df",
    ),
    (
        0x0020, 0x0001, 0xffff,
        "55bc245ee4efda25d38f2d54d5bb6665291b99f8108a8c4b686c2b14893ea5d9",
        "683ae0da1d22181e74ed2e503ebf82840deb1d5e872cade20f4b458d99783e31",
    ),
    (
        0x0020, 0x0003, 0x0001,
        "895221ae20f39cbf46871d6ea162d44b84dd7ba9cc7a3c80f16d6ea4242cd6d4",
        "59a9b44375a297d452fc18e5bba1a64dec709f23109486fce2d3a5428ed2000a",
    ),
    (
        0x0020, 0x0003, 0x0002,
        "e72b39232ee9ef9f6537a72afe28f551dbe632006aa1b300a00518883a3f2dc1",
        "a0484936abc95d587acf7034156229f9970e9dfa76773754e40fb30e53c9de16",
    ),
    (
        0x0020, 0x0003, 0x0003,
        "636d1237a5ae674c24caa0c32a980d3218d84f916ba31e16699892d27103a2a9",
        "969bb169aa9c24a501ee9d962e96c310226d427fb6eb3fc579d9882dbc708315",
    ),
    (
        0x0020, 0x0003, 0xffff,
        "3cfbc97dece2c497126df8909efbdd3d56b3bbe97ddf6555c99a04ff4402474c",
        "dff9a966e02b161472f167c0d4252d400069449e62384beb78111cb596220921",
    ),
    (
        0x0010, 0x0001, 0x0001,
        "4270e54ffd08d79d5928020af4686d8f6b7d35dbe470265f1f5aa22816ce860e",
        "668b37171f1072f3cf12ea8a236a45df23fc13b82af3609ad1e354f6ef817550",
    ),
    (
        0x0010, 0x0001, 0x0002,
        "a90d3417c3da9cb6c6ae19b4b5dd6cc9529a4cc24efb7ae0ace1f31887a8cd6c",
        "a0ce15d49e28bd47a18a97e147582d814b08cbe00109fed5ec27d1b4e9f6f5e3",
    ),
    (
        0x0010, 0x0001, 0x0003,
        "f1f1a3bc95416871539ecb51c3a8f0cf608afb40fbbe305c0a72819d35c33f1f",
        "61092f3f56994dd424405899154a9918353e3e008171517ad576b900ddb275e7",
    ),
    (
        0x0010, 0x0001, 0xffff,
        "3800bb050bb4882791fc6b2361d7adc2543e4e0abbac367cf00a0c4251844350",
        "c6638d8079a235ea4054885355a7caefee67151c6ff2a04f4ba26d099c3a8b02",
    ),
    (
        0x0010, 0x0003, 0x0001,
        "4ab11a9dd78c39668f7038f921ffc0993b368171d3ddde8031501ee1e08c4c9a",
        "ea9ff7cc5b2705b188841c7ace169290ff312a9cb31467784ca92d7a2e6e1be8",
    ),
    (
        0x0010, 0x0003, 0x0002,
        "0c4b7c8090d9995e298d6fd61c7a0a66bb765a12219af1aacfaac99b4deaf8ad",
        "a2f6e7c4d9e108e03be268a64fe73e11a320963c85375a30bfc9ec4a214c6a55",
    ),
    (
        0x0010, 0x0003, 0x0003,
        "02bd2bdbb430c0300cea89b37ada706206a9a74e488162671d1ff68b24deeb5f",
        "8d283ea65b27585a331687855ab0836a01191d92ab689374f3f8d655e702d82f",
    ),
    (
        0x0010, 0x0003, 0xffff,
        "497efeca99592461588394f7e9496129ed89e62b58204e076d1b7141e999abda",
        "49b7cbfc1756e8ae010dc80330108f5be91268b3636f3e547dbc714d6bcd3d16",
    ),
    (
        0x0012, 0x0001, 0x0001,
        "5040af7a10269b11f78bb884812ad20041866db8bbd749a6a69e3f33e54da7164598f005bce09a9fe190e29c2f42df9e9e3aad040fccc625ddbd7aa99063fc594f40",
        "39a28dc317c3e48b908948f99d608059f882d3d09c0541824bc25f94e6dee7aa0df1c644296b06fbb76e84aef5008f8a908e08fbabadf70658538d74753a85f8856a",
    ),
    (
        0x0012, 0x0001, 0x0002,
        "9953fbd633be69d984fc4fffc4d7749f007dbf97102d36a647a8108b0bb7c609e826b026aec1cd47b93fc5acb7518fa455ed38d0c29e900c56990635612fd3d220d2",
        "17320bc93d9bc1d422ba0c705bf693e9a51a855d6e09c11bddea5687adc1a1122ec81384dc7e47959cae01c420a69e8e39337d9ebf9a9b2f3905cb76a35b0693ac34",
    ),
    (
        0x0012, 0x0001, 0x0003,
        "566568b6cbfd1c6c06d1b0a2dc22d4e4965858bf3d54bf6cba5c018be0fad7a5cd9237937800f3cb57f10fa5691faeecab1685aa6da9b667469224a0989ff82b822b",
        "f9f594556282cfe3eb30958ca2ef90ecd2a6ffd2661d41eb39ba184f3dae9f914aad297dd80cc763cb6525437a61ceae448aeeb304de137dc0f28dd007f0d592e137",
    ),
    (
        0x0012, 0x0001, 0xffff,
        "5dfb76f8b4708970acb4a6efa35ec4f2cebd61a3276a711c2fa42ef0bc9c191ea9dac7c0ac907336d830cea4a8394ab69e9171f344c4817309f93170cb34914987a5",
        "9fd2aad24a653787f53df4a0d514c6d19610ca803298d7812bc0460b76c21da99315ebfec2343b4848d34ce526f0d39ce5a8dfddd9544e1c4d4b9a62f4191d096b42",
    ),
    (
        0x0012, 0x0003, 0x0001,
        "018b6bb1b8bbcefbd91e66db4e1300000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
        "7bf9fd92611f2ff4e6c2ab4dd636a320e0397d6a93d014277b025a7533684c3255a02aa1f2a142be5391eebfc60a6a9c729b79c2428b8d78fa36497b1e89e446d402",
    ),
    (
        0x0012, 0x0003, 0x0002,
        "7f06ab8215105fc46aceeb2e3dc5028b44364f960426eb0d8e4026c2f8b5d7e7a986688f1591abf5ab753c357a5d6f0440414b4ed4ede71317772ac98d9239f70904",
        "2ad954bbe39b7122529f7dde780bff626cd97f850d0784a432784e69d86eccaade43b6c10a8ffdb94bf943c6da479db137914ec835a7e715e36e45e29b587bab3bf1",
    ),
    (
        0x0012, 0x0003, 0x0003,
        "f9d540fde009bb1e5e71617c122a079862306b97144c8c4dca45ef6605c2ec9c43527c150800f5608a7e4cff771226579e7c776fb3def4e22e68e9fdc92340e94b6e",
        "5273f7762dea7a2408333dbf8db9f6ef2ac4c475ad9e81a3b0b8c8805304adf5c876105d8703b42117ad8ee350df881e3d52926aafcb5c90f649faf94be81952c78a",
    ),
    (
        0x0012, 0x0003, 0xffff,
        "3018d74c67d0c61b5e4075190621fc192996e928b8859f45b3ad2399af8599df69c34b7a3eefeda7ee49ae73d4579300b85dde1654c0dfc3a3f78143d239a628cf72",
        "a243eff510b99140034c72587e9f131809b9bce03a9da3da458771297f535cede0f48167200bf49ac123b52adfd789cf0adfd5cded6be2f146aeb00c34d4e6d234fc",
    ),
]

# KEM, KDF, AEAD, ikmE, ikmR and the last sixteen octets of the exporter's secret of draft-ietf-hpke-pq-04, test
# vectors, all in the mode base. `info` and the plaintext are hexadecimal as text there.
POST_QUANTUM = [
    (
        0x0041, 0x0001, 0x0001,
        "4b3d28ac17e3aadfe767671928e6c0d26c346d4c7dfcf1db0994d131fd76aaba",
        "353e522ee88da0097916c435377e3ffee4cd8288b910a79882f4ac87787cebe6ef7d126a2ef91b2c37f741af42851a08d24a756b225d86d534902829896e726b",
        "81704edeba9607700cfe2bf13472db88",
    ),
    (
        0x0042, 0x0002, 0x0002,
        "0152bf3799ed0803b9ac3e62695c51065fe2cd4a18ff655fb3efe7399c404e19",
        "ece1c121b5cc978bdce5eb8d60e9ff101d65b94379898e800c37f79164a25d03264a357df7cd28214b11e171c94dea2338b736e7dbb6f00a0b1b280ae6ad1ba4",
        "e699de9671ef34f9e23a741b7efc5074",
    ),
    (
        0x0050, 0x0001, 0x0001,
        "0ec0fee6a71457a9dac898a1c161bf1068e68de093f07754155bb8b8b378c17ed09ead96300cc402a6371b58928592dd93565834a19839e7dda048d8e04ff65c7b645f36738c370fbb2d684f59e16ea08aea04444762fdf3a70a114ecf0ba435c9a1e869578142b445398f49093bcca618f0ae5e810163b1503faf3eeaff0bdc",
        "5e28a96731c6665f07bb00811cd70f0d3d6c44666ca54cddbb7e5946053b6415",
        "f2b7aca64d06c4a72a88118fccf7058f",
    ),
    (
        0x647a, 0x0001, 0x0003,
        "2a1c0a3745fe8a48fb62034d300f54dfe1974a5b2e169e580a8789cb1cf5fd190fc00f3fd899594e01a8b15334b9f3fa03d8de44da86e19f5776850fb689e6c8",
        "b86e76a59fabfc87b30cd7b1f7aaa28a834eb64e7a261c197b9a842893fbce56",
        "a3bc7061cd41a384c86c27b37d945bbb",
    ),
    (
        0x0051, 0x0002, 0x0002,
        "bd1207854ec0963347d5218f900783d6ca0ff62c5e2181ca5a932e2d6d8d96cc9b092a9d709468d10f7e8ec8d9eccd7e7a647d351133e2a2f4b438154d1dd70850af7f7841c1dbd0699feb9852d99c08",
        "0fce198c0c1ccfca5cd1ca8bc495b06696cbb8c733e708ead4531b2b294c38d2",
        "87b0ec6ff60bd5d76a1266d75ecac133",
    ),
    (
        0x0011, 0x0011, 0x0002,
        "df490f3d80254f2485bc8abd4225c0834ab1982ce844a6b4a3390bbe9f348b0a82ca464297bfccfa8b2ceaac6b43e6bc",
        "1569d065e398456987a4a76e7117d97767cc8aecef8efebaa3ad5aee78d44f5fab347ee19307e6804ff32d8b15a3fbe1",
        "e33e636880296accc652cd39349cb736",
    ),
    (
        0x647a, 0x0011, 0x0003,
        "67d925853f974ffeb36a867ba8b370c455c77fa386e0b667d6dea0fa0bcd9446a7a24daaf163ec2c0979a75f6b776a4e08ba8e89aa9fb4f604e95a9acddc4091",
        "9b3988687f65935430cf740cc30c36cd480d3dbd24867815addad49ea0dc050d",
        "e048495ff0d02851a8d6be4105e4d039",
    ),
]


def two(number):
    return number.to_bytes(2, "big")


def prefixed(octets):
    return two(len(octets)) + octets


class OneStage:
    """SHAKE256 with labels (draft-ietf-hpke-hpke-05)."""

    size = 64

    def __init__(self, suite):
        self.prefix = b"HPKE-v1" + suite

    def derived(self, material, label, context, count):
        return hashlib.shake_256(material + self.prefix + prefixed(label) + two(count) + context).digest(count)

    def schedule(self, mode, shared, psk, psk_id, info, key_size, nonce_size):
        context = bytes([mode]) + prefixed(psk_id) + prefixed(info)
        secrets = self.derived(prefixed(psk) + prefixed(shared), b"secret", context, key_size + nonce_size + 64)
        nonce_end = key_size + nonce_size
        return context, b"", secrets[:key_size], secrets[key_size:nonce_end], secrets[nonce_end:]

    def exported(self, secret, context, count):
        return self.derived(secret, b"sec", context, count)


class KDF:
    """HKDF with labels."""

    def __init__(self, identifier, suite):
        self.name = {1: "sha256", 2: "sha384", 3: "sha512"}[identifier]
        self.size = hashlib.new(self.name).digest_size
        self.prefix = b"HPKE-v1" + suite

    def extract(self, salt, label, material):
        return hmac.digest(salt or bytes(self.size), self.prefix + label + material, self.name)

    def expand(self, key, label, info, count):
        info, output, block = two(count) + self.prefix + label + info, b"", b""
        while len(output) < count:
            block = hmac.digest(key, block + info + bytes([len(output) // self.size + 1]), self.name)
            output += block
        return output[:count]

    def schedule(self, mode, shared, psk, psk_id, info, key_size, nonce_size):
        """The context, the secret, the key, the nonce and the exporter's secret."""
        context = bytes([mode]) + self.extract(b"", b"psk_id_hash", psk_id) + self.extract(b"", b"info_hash", info)
        secret = self.extract(shared, b"secret", psk)
        key, nonce = self.expand(secret, b"key", context, key_size), self.expand(secret, b"base_nonce", context, nonce_size)
        return context, secret, key, nonce, self.expand(secret, b"exp", context, self.size)

    def exported(self, secret, context, count):
        return self.expand(secret, b"sec", context, count)


class KEM:
    """DHKEM on one of the curves."""

    CURVES = {
        0x10: ("DHKEM(P-256, HKDF-SHA256)", 1, ec.SECP256R1(), 32, 0xFF, int("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16)),
        0x11: (
            "DHKEM(P-384, HKDF-SHA384)", 2, ec.SECP384R1(), 48, 0xFF,
            int("ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973", 16),
        ),
        0x12: (
            "DHKEM(P-521, HKDF-SHA512)", 3, ec.SECP521R1(), 66, 0x01,
            int("01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409", 16),
        ),
        0x20: ("DHKEM(X25519, HKDF-SHA256)", 1, None, 32, 0xFF, 0),
    }

    def __init__(self, identifier):
        self.name, kdf, self.curve, self.size, self.mask, self.order = self.CURVES[identifier]
        self.kdf = KDF(kdf, b"KEM" + two(identifier))

    def derived(self, material):
        """The private key as octets, and as a key."""
        key = self.kdf.extract(b"", b"dkp_prk", material)
        if self.curve is None:
            octets = self.kdf.expand(key, b"sk", b"", 32)
            return octets, x25519.X25519PrivateKey.from_private_bytes(octets)
        for counter in range(256):
            octets = self.kdf.expand(key, b"candidate", bytes([counter]), self.size)
            octets = bytes([octets[0] & self.mask]) + octets[1:]
            if 0 < int.from_bytes(octets, "big") < self.order:
                return octets, ec.derive_private_key(int.from_bytes(octets, "big"), self.curve)

    def serialized(self, key):
        if self.curve is None:
            return key.public_key().public_bytes_raw()
        return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def encapsulated(self, material, recipient):
        """The key for one use as octets, the shared secret and what is sent."""
        octets, ephemeral = self.derived(material)
        sent = self.serialized(ephemeral)
        return octets, self.shared(ephemeral, recipient.public_key(), sent + self.serialized(recipient)), sent

    def decapsulated(self, sent, recipient):
        """The shared secret, from what was sent."""
        ephemeral = (
            x25519.X25519PublicKey.from_public_bytes(sent)
            if self.curve is None
            else ec.EllipticCurvePublicKey.from_encoded_point(self.curve, sent)
        )
        return self.shared(recipient, ephemeral, sent + self.serialized(recipient))

    def shared(self, private, public, context):
        agreed = private.exchange(public) if self.curve is None else private.exchange(ec.ECDH(), public)
        key = self.kdf.extract(b"", b"eae_prk", agreed)
        return self.kdf.expand(key, b"shared_secret", context, self.kdf.size)


def kem_of(identifier):
    return KEM(identifier) if identifier in KEM.CURVES else lattice_kems.KEM(identifier)


class Context:
    AEADS = {1: (AESGCM, 16), 2: (AESGCM, 32), 3: (ChaCha20Poly1305, 32), 0xFFFF: (None, 0)}

    def __init__(self, mode, kem, kdf, aead, ikm_e, ikm_r, info=INFO, psk=(PSK, PSK_ID)):
        numbers, kem = (kem, kdf, aead), kem_of(kem)
        sk_r, recipient = kem.derived(bytes.fromhex(ikm_r))
        sk_e, shared, sent = kem.encapsulated(bytes.fromhex(ikm_e), recipient)
        self.schedule(mode, numbers, shared, info, psk)
        psk, psk_id = psk
        self.keys = {"ikmE": ikm_e, "ikmR": ikm_r, "info": info.hex(), **({"psk": psk.hex(), "pskId": psk_id.hex()} if mode else {})}
        self.values = {
            **({"skE": sk_e.hex()} if sk_e else {}),
            "skR": sk_r.hex(),
            "pkR": kem.serialized(recipient).hex(),
            "enc": sent.hex(),
            "sharedSecret": shared.hex(),
            **self.scheduled,
        }

    @classmethod
    def of_secret(cls, mode, numbers, shared, info, psk):
        """The same of a secret that is there; `numbers` are those of KEM, KDF and AEAD."""
        context = cls.__new__(cls)
        context.schedule(mode, numbers, shared, info, psk)
        return context

    def schedule(self, mode, numbers, shared, info, psk):
        kem, kdf, aead = numbers
        self.identifiers = {"mode": mode, "kemId": kem, "kdfId": kdf, "aeadId": aead}
        suite = b"HPKE" + two(kem) + two(kdf) + two(aead)
        self.kdf = OneStage(suite) if kdf == 0x11 else KDF(kdf, suite)
        self.cipher, size = self.AEADS[aead]
        context, secret, self.key, self.base_nonce, self.exporter_secret = self.kdf.schedule(
            mode, shared, *(psk if mode else (b"", b"")), info, size, 12 if size else 0
        )
        self.scheduled = {
            "keyScheduleContext": context.hex(),
            **({"secret": secret.hex()} if secret else {}),
            "key": self.key.hex(),
            "baseNonce": self.base_nonce.hex(),
            "exporterSecret": self.exporter_secret.hex(),
        }

    def nonce(self, number):
        return (int.from_bytes(self.base_nonce, "big") ^ number).to_bytes(12, "big")

    def seal(self, number, aad, plaintext):
        return self.cipher(self.key).encrypt(self.nonce(number), plaintext, aad)

    def export(self, context, count):
        return self.kdf.exported(self.exporter_secret, context, count)


class Stream:
    """Inputs of pseudorandom length, at most 255 octets, from SHAKE128 of nothing."""

    def __init__(self, size):
        self.octets, self.place = hashlib.shake_128(b"").digest(size), 0

    def take(self, count):
        self.place += count
        return self.octets[self.place - count : self.place]

    def input(self):
        return self.take(self.take(1)[0])


def accumulated(context):
    """Of 1000 messages, or None, and of 1000 exported secrets, of 0 to 999 octets."""
    stream, sealed, exported = Stream(1 << 20), hashlib.shake_128(), hashlib.shake_128()
    for number in range(1000 if context.cipher else 0):
        aad, plaintext = stream.input(), stream.input()
        sealed.update(context.seal(number, aad, plaintext))
    stream = Stream(1 << 20)
    for count in range(1000):
        exported.update(context.export(stream.input(), count))
    return sealed.hexdigest(16) if context.cipher else None, exported.hexdigest(16)


def file():
    file = VectorFile("hpke.json", "HPKE", "RFC 9180", "4 to 7", "Hybrid Public Key Encryption")
    for numbers in CONTEXTS:
        context = Context(*numbers)
        group = file.group("HpkeContext", **context.identifiers, **context.keys, **context.values)
        for number in (0, 1, 2, 4, 255, 256) if context.cipher else ():
            aad = b"Count-%d" % number
            sealed, nonce = context.seal(number, aad, PLAINTEXT).hex(), context.nonce(number).hex()
            group.valid(f"message {number}", "Figure", sequenceNumber=number, aad=aad.hex(), msg=PLAINTEXT.hex(), nonce=nonce, ct=sealed)
        for exporter in (b"", b"\0", b"TestContext"):
            secret = context.export(exporter, 32).hex()
            group.valid("an exported secret", "Figure", exporterContext=exporter.hex(), size=32, exported=secret)
    group = file.group("HpkeAccumulated", count=1000)
    for kem, kdf, aead, ikm_e, ikm_r in ACCUMULATED:
        context = Context(0, kem, kdf, aead, ikm_e, ikm_r)
        sealed, exported = accumulated(context)
        members = {"sealedDigest": sealed} if sealed else {}
        group.valid("many messages and secrets", "Derived", **context.identifiers, **context.keys, enc=context.values["enc"], **members, exportedDigest=exported)
    return file


def post_quantum():
    file = VectorFile("hpke_pq.json", "HPKE", "draft-ietf-hpke-pq-04", "test vectors", "Post-Quantum and Post-Quantum/Traditional Hybrid Algorithms for HPKE")
    plaintext = PLAINTEXT.hex().encode()
    for *numbers, figure in POST_QUANTUM:
        context = Context(0, *numbers, info=INFO.hex().encode())
        assert context.exporter_secret.hex().endswith(figure), numbers
        group = file.group("HpkeContext", **context.identifiers, **context.keys, **context.values)
        for number in (0, 1, 9):
            aad = b"Count-%d" % number
            sealed, nonce = context.seal(number, aad, plaintext).hex(), context.nonce(number).hex()
            group.valid(f"message {number}", "Figure", sequenceNumber=number, aad=aad.hex(), msg=plaintext.hex(), nonce=nonce, ct=sealed)
        for number in (0, 4):
            exporter = b"pseudorandom%d" % number
            secret = context.export(exporter, 32).hex()
            group.valid("an exported secret", "Figure", exporterContext=exporter.hex(), size=32, exported=secret)
    return file
