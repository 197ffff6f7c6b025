import JOSE

/// The help texts.
enum Usage {
  /// All verbs.
  static let overview = """
    jose: sign, verify, encrypt and decrypt JOSE messages

      jose key generate --alg ALG [--kid ID]   a private JWK
      jose key public                          the public part of a JWK
      jose key thumbprint                      the RFC 7638 thumbprint of a JWK
      jose sign --key FILE                     payload to compact JWS
      jose verify --key FILE                   compact JWS to payload
      jose encrypt --key FILE                  plaintext to compact JWE
      jose decrypt --key FILE                  compact JWE to plaintext
      jose inspect                             show a token without verifying it
      jose vectors [PATH …]                    run test vectors
      jose demo NAME                           a whole exchange in one process
      jose psso MESSAGE --config FILE          a single message of Platform SSO, on either side

    Messages come on standard input and leave on standard output. Keys are files, never arguments.
    Exit status: 0 done, 1 the input is not authentic or not valid, 2 wrong usage.
    More of each: jose VERB --help

    """

  /// One verb, or nil if there is no such verb.
  static func text(for verb: String) -> String? {
    switch Verb(rawValue: verb) {
    case .key: key
    case .sign: sign
    case .verify: verify
    case .encrypt: encrypt
    case .decrypt: decrypt
    case .inspect: inspect
    case .vectors: vectors
    case .demo: demo
    case .psso: psso
    case nil: nil
    }
  }

  private static func names(_ algorithms: [some CustomStringConvertible]) -> String {
    algorithms.map(\.description).joined(separator: ", ")
  }

  private static let key = """
    jose key generate --alg ALG [--crv CURVE] [--kid ID]
      Writes a fresh private JWK. ALG: any algorithm of jose sign --help and jose encrypt --help for which a key is made of random
      octets or is a pair, or an ENC for a key of dir. CURVE, of a key for ECDH-ES: P-256 unless P-384, P-521 or X25519 is named.
    jose key public < JWK
      Writes the public members of a JWK.
    jose key thumbprint < JWK
      Writes the SHA-256 thumbprint (RFC 7638) in base64url.

    """

  private static let sign = """
    jose sign --key FILE [--alg ALG] [--typ TYPE] [--kid ID] < PAYLOAD
      Writes a compact JWS. FILE holds a private or symmetric JWK, or a private key in PEM. The key's alg fixes the algorithm; --alg
      names it for a key that has none, which otherwise is HS256 or that of the curve. ALG: \(names(SignatureAlgorithm.allCases)).

    """

  private static let verify = """
    jose verify --key FILE [--alg ALG] < TOKEN
      Writes the payload of a compact JWS if its signature verifies. FILE holds a JWK, a JWK Set or a public key in PEM. --alg as
      with jose sign.

    """

  private static let encrypt = """
    jose encrypt --key FILE [--alg ALG] [--enc ENC] [--apu B64URL] [--apv B64URL] < PLAINTEXT
      Writes a compact JWE. FILE holds a public or symmetric JWK, or a public key in PEM.
      ALG: \(names(KeyManagementAlgorithm.allCases)).
      ENC: \(names(ContentEncryptionAlgorithm.allCases)); A256GCM unless the key is for another.
      The key of a PBES2 algorithm is a password: a symmetric JWK whose k holds its UTF-8 text. --apu and --apv take base64url.

    """

  private static let decrypt = """
    jose decrypt --key FILE [--alg ALG] < TOKEN
      Writes the plaintext of a compact JWE. FILE holds a private or symmetric JWK, a JWK Set, or a private key in PEM. --alg as with
      jose encrypt; PBES2 is accepted only if it is named there.

    """

  private static let inspect = """
    jose inspect < TOKEN
      Shows the header, and of a JWS the claims, without verifying anything.

    """

  private static let vectors = """
    jose vectors [--json] [--verbose] [PATH …]
      Runs test vector files, or all such files of folders: jose_vectors_v1, Wycheproof, RFC 7520 cookbook. A row per file.
      Without PATH: TestVectors in the current folder. A wycheproof_overrides.json beside or above a file is honoured.
      --json writes an object per file on a line of its own; --verbose lists the failed tests. Exit status 1 if any test failed.

    """

  private static let demo = """
    jose demo \(DemoVerb.names.replacing(", ", with: "|"))
      Plays a whole exchange in one process and shows and checks every message.

    """
}
