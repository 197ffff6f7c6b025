"""Writes every vector file of this folder again, or with --check compares them with what stands on disk."""

import pathlib
import sys

from generator import (
    aes,
    agreement,
    certificates,
    chacha,
    curve,
    dpop,
    ed25519,
    encodings,
    hashing,
    hpke,
    jwe,
    jwe_hpke,
    jws,
    jwt,
    lattice_kems,
    ml_dsa_jose,
    nested,
    pitfalls,
    platform_sso,
    post_quantum,
    rsa,
    sd_jwt,
    status_list,
    secp256k1,
    serializations,
)

FILES = [
    hashing.sha2,
    hashing.sha3,
    hashing.hmac_sha2,
    aes.blocks,
    aes.gcm,
    chacha.file,
    curve.ecdsa,
    curve.ecdh,
    curve.keys,
    secp256k1.file,
    agreement.concat,
    agreement.ecdh_es,
    encodings.base64url,
    encodings.jwk,
    encodings.thumbprints,
    jws.file,
    jwe.file,
    jwe_hpke.file,
    jwt.file,
    nested.file,
    sd_jwt.file,
    status_list.file,
    serializations.jws_file,
    serializations.jwe_file,
    rsa.pkcs1,
    rsa.pss,
    rsa.oaep,
    ed25519.file,
    post_quantum.ml_kem,
    post_quantum.ml_dsa,
    post_quantum.x_wing,
    lattice_kems.file,
    hpke.file,
    hpke.post_quantum,
    ml_dsa_jose.file,
    dpop.file,
    certificates.file,
    platform_sso.file,
    pitfalls.file,
]


def main():
    folder = pathlib.Path(__file__).resolve().parent
    different = 0
    for build in FILES:
        file = build()
        text, path = file.text(), folder / file.name
        count = sum(len(group.tests) for group in file.groups)
        print(f"{file.name:26} {count:4} tests {len(text):7} characters")
        if "--check" in sys.argv:
            different += not path.exists() or path.read_text() != text
        else:
            path.write_text(text)
    if different:
        sys.exit(f"{different} files differ from what the generator writes")


main()
