/// The hash functions of FIPS 180-4 that JOSE uses: ``SHA256``, ``SHA384`` and ``SHA512``.
public enum SHA2 {}
