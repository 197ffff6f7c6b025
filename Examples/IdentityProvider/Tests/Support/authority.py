"""A throw-away authority, and a certificate for this machine."""

import datetime
import ipaddress
import os
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


def _named(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _build(subject, issuer, key, signer, *extensions):
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_named(subject))
        .issuer_name(_named(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=2))
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(signer, hashes.SHA256())


class Authority:
    """Certificates in files: `roots` for who connects, `certificate` and `key` for who listens."""

    def __init__(self, folder, names=("localhost",)):
        self.roots = os.path.join(folder, "roots.pem")
        self.certificate = os.path.join(folder, "tls.pem")
        self.key = os.path.join(folder, "tls.key")
        root_key, leaf_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        usage = dict.fromkeys(
            ["digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
             "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"], False)
        root = _build(
            "Throw-away authority", "Throw-away authority", root_key, root_key,
            (x509.BasicConstraints(ca=True, path_length=None), True),
            (x509.KeyUsage(**{**usage, "key_cert_sign": True}), True),
            (x509.SubjectKeyIdentifier.from_public_key(root_key.public_key()), False))
        leaf = _build(
            "localhost", "Throw-away authority", leaf_key, root_key,
            (x509.BasicConstraints(ca=False, path_length=None), True),
            (x509.SubjectAlternativeName(
                [*map(x509.DNSName, names), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False),
            (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False),
            (x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key()), False))
        with open(self.roots, "wb") as file:
            file.write(root.public_bytes(serialization.Encoding.PEM))
        with open(self.certificate, "wb") as file:
            file.write(leaf.public_bytes(serialization.Encoding.PEM))
        with open(self.key, "wb") as file:
            file.write(leaf_key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))

    def client(self):
        return ssl.create_default_context(cafile=self.roots)

    def server(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context
