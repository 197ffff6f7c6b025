import JOSE

/// The help texts.
enum Usage {
  /// All verbs.
  static let overview = """
    jose: sign, verify, encrypt and decrypt JOSE messages

      jose key generate --alg ALG [--kid ID]   a private JWK
      jose key public                          the public part of a JWK
      jose key thumbprint [--uri]              the RFC 7638 thumbprint of a JWK
      jose key pem [--private]                 a JWK as PEM
      jose key import                          PEM, DER or a certificate as a JWK
      jose sign --key FILE                     payload to JWS
      jose verify --key FILE                   JWS to payload
      jose encrypt --key FILE                  plaintext to JWE, or claims to a nested JWT
      jose decrypt --key FILE                  JWE to plaintext, or a nested JWT to claims
      jose jwt sign --key FILE                 claims to a signed JWT
      jose jwt verify --key FILE               a signed JWT to claims, checked
      jose jwt explain --key FILE              why jose jwt verify takes a token or not
      jose dpop sign --key FILE                a DPoP proof for one request
      jose dpop verify --method M --uri U      a DPoP proof to its key's thumbprint, checked
      jose jwks merge|filter|check             key sets
      jose sd-jwt issue|present|verify         tokens whose holder shows a part of them
      jose status-list encode|decode|check     which tokens have been revoked
      jose login --device --issuer URL         a user's tokens, who logs in on another device
      jose certificate verify --root FILE      a chain of certificates to the key of its first one
      jose certificate explain --root FILE     why jose certificate verify takes a chain or not
      jose inspect                             show a token without verifying it
      jose vectors [PATH …]                    run test vectors
      jose demo NAME                           a whole exchange in one process
      jose psso MESSAGE --config FILE          a single message of Platform SSO, on either side
      jose completion bash|zsh|fish            completion in a shell
      jose help --man                          this as a manual page
      jose --version                           the version

    Messages come on standard input, or from the file that is the one argument, and leave on standard output. Keys are
    files, never arguments; the password of an encrypted one is the first line of the file that --password-file names. A
    token may be an argument itself, which other users of the machine can see.
    Exit status: 0 done, 1 the input is not authentic or not valid, 2 wrong usage.
    More of each: jose VERB --help, jose VERB WORD --help

    """

  /// One verb, or nil if there is no such verb.
  static func text(for verb: String) -> String? {
    switch Verb(rawValue: verb) {
    case .key: key
    case .sign: sign
    case .verify: verify
    case .encrypt: encrypt
    case .decrypt: decrypt
    case .jwt: jwt
    case .certificate: certificate
    case .inspect: inspect
    case .vectors: vectors
    case .demo: demo
    case .psso: psso
    case .dpop: DPoPVerb.usage
    case .jwks: JWKSVerb.usage
    case .login: LoginVerb.usage
    case .sdJWT: SDJWTVerb.usage
    case .statusList: StatusListVerb.usage
    case .completion: CompletionVerb.usage
    case nil: nil
    }
  }

  private static func names(_ algorithms: [some CustomStringConvertible]) -> String {
    algorithms.map(\.description).joined(separator: ", ")
  }

  private static let key = """
    jose key generate --alg ALG [--crv CURVE] [--size BITS] [--kid ID] [--output FILE]
      Writes a fresh private JWK. ALG: any algorithm of jose sign --help and jose encrypt --help for which a key is made of random
      octets or is a pair, or an ENC for a key of dir. CURVE, of a key for ECDH-ES: P-256 unless P-384, P-521 or X25519 is named. BITS: of an
      RSA key 2048, 3072 (if nothing is said) or 4096; of an HMAC secret, as many as its digest has or more. FILE must not be there yet; only
      you may read it.
      Example  jose key generate --alg ES256 --kid 2026 --output key.json
    jose key public < JWK
      Writes the public members of a JWK.
      Example  jose key public < key.json > public.json
    jose key thumbprint [--uri [--hash sha-256|sha-384|sha-512]] < JWK
      Writes the SHA-256 thumbprint (RFC 7638) in base64url, or one as a URI (RFC 9278).
      Example  jose key thumbprint < key.json
    jose key pem [--private] [--output FILE] < JWK
      Writes the public key as SPKI in PEM, or the private key as PKCS#8.
      Example  jose key pem --private --output key.pem < key.json
    jose key import [--alg ALG] [--kid ID] [--password-file FILE] [--output FILE] < FILE
      Writes a key in PEM or DER as a JWK: SPKI, PKCS#8 (of ML-DSA with its seed), SEC1 or PKCS#1. ALG must be one that the key fits; a key
      of ML-DSA names its own. Of a certificate, the subject's
      key with x5c and x5t#S256; nothing of it is validated. With --password-file, an encrypted private key (PKCS#8 with PBES2); the
      password is the file's first line.
      Example  jose key import --alg ES256 --output key.json < key.pem

    """

  private static let sign = """
    jose sign --key FILE … [--password-file FILE] [--alg ALG] [--typ TYPE] [--cty TYPE] [--kid ID] [--serialization compact|flattened|general]
              [--detached] [--unencoded] [--max-size SIZE] < PAYLOAD
      Writes a JWS, compact unless several keys sign: these need general JSON. FILE holds a private or symmetric JWK, or a private key in PEM. The key's alg fixes the algorithm; --alg
      names it for a key that has none, which otherwise is HS256 or that of the curve. --detached leaves the payload out; --unencoded signs it as it is
      (b64 false). A payload longer than 1 GiB needs --max-size. ALG: \(names(SignatureAlgorithm.allCases)).
      Example  echo hello | jose sign --key key.json

    """

  private static let verify = """
    jose verify --key FILE … [--password-file FILE] [--all] [--alg ALG] … [--payload FILE] [--max-size SIZE] [TOKEN-OR-FILE]
      Writes the payload of a JWS, compact or JSON, if its signature verifies. --payload gives a detached payload. With several keys, a JSON
      message must be signed by one of them; with --all, by each of them and by no other. FILE holds a JWK, a JWK Set or a public key in PEM. --alg as
      with jose sign; of a key set, the algorithms that are accepted. A message longer than 8 MiB needs --max-size, such as 64M.
      Example  jose verify --key public.json < message

    """

  private static let encrypt = """
    jose encrypt --key FILE … [--password-file FILE] [--alg ALG] [--enc ENC] [--apu B64URL] [--apv B64URL] [--aad B64URL] [--p2c N] [--typ TYPE] [--cty TYPE]
                 [--kid ID] [--serialization compact|flattened|general] [--max-size SIZE] [--sign-key FILE [--sign-alg ALG]] [--info B64URL] [--psk FILE]
                 < PLAINTEXT
      Writes a JWE, compact unless it has several recipients: these need general JSON. With --sign-key, signs the claims first (nested JWT). FILE holds a public or symmetric JWK, or a public key in PEM.
      ALG: \(names(KeyManagementAlgorithm.allCases)).
      ENC: \(names(ContentEncryptionAlgorithm.allCases)); A256GCM unless the key is for another.
      The key of a PBES2 algorithm is a password: a symmetric JWK whose k holds its UTF-8 text; --p2c its iterations, 8192 unless given:
      for a password that a person made, --p2c 600000. A plaintext longer than 1 GiB needs --max-size.
      --info and --psk: what both sides of HPKE know beside the key; the pre-shared key is a symmetric JWK of 32 octets or more with kid.
      Example  echo hello | jose encrypt --key public.json --alg ECDH-ES

    """

  private static let decrypt = """
    jose decrypt --key FILE [--password-file FILE] [--alg ALG] … [--apu B64URL] [--apv B64URL] [--inflate N] [--max-size SIZE] [--max-work N]
                 [--verify-key FILE [--verify-alg ALG] [--max-lifetime TIME]] [--info B64URL] [--psk FILE] [TOKEN-OR-FILE]
      Writes the plaintext of a JWE, compact or JSON. With --verify-key, the claims of a nested JWT, whose signature and times are checked.
      --apu and --apv: party info agreed on without the header. --inflate accepts zip, up to the given number of octets. FILE holds a private or symmetric JWK, a JWK Set, or a private key in PEM. --alg as
      with jose encrypt, of a key set the algorithms that are accepted; PBES2 is accepted only if it is named there. A message longer than
      8 MiB needs --max-size, such as 64M. One with many recipients without kid may need --max-work: how much is tried, 13000 unless given.
      --max-lifetime: how far ahead exp may be, 3653d unless given. --info and --psk as with jose encrypt.
      Example  jose decrypt --key key.json --alg ECDH-ES < message

    """

  private static let jwt = """
    jose jwt sign --key FILE [--password-file FILE] [--alg ALG] [--iss S] [--sub S] [--aud S] … [--expires-in TIME] [--no-expiry] [--claim NAME=VALUE] …
                  [--claim-json NAME=JSON] … [--typ TYPE] < CLAIMS
      Writes a signed JWT of the claims on standard input, if there are any (a JSON object), and of those given. iat is now unless given, and exp 600
      seconds later, or TIME: 90 or 90s, 5m, 1h, 2d. --no-expiry leaves exp out, for kinds of tokens that have none. Registered claims must have their types. TYPE: JWT.
      Example  jose jwt sign --key key.json --iss https://idp.example.com --aud api --expires-in 1h
    jose jwt verify (--key FILE --iss S | --issuer URL [--cacert FILE] [--plain-http]) [--password-file FILE] [--alg ALG] … --aud S [--typ TYPE] [--leeway SECONDS] [--at UNIXTIME] [--require NAME] …
                    [--nonce S] [--profile PROFILE] [--max-lifetime TIME] [--max-work N] [TOKEN-OR-FILE]
      Writes the claims of a signed JWT if signature, issuer, audience, type and times are right: exp must be there. FILE as with jose verify;
      several --alg go with a key set. --issuer asks the issuer of that https URL for its keys (OpenID Connect
      Discovery), by the program curl and its variables HTTPS_PROXY and CURL_CA_BUNDLE, and requires it in iss. --cacert: PEM of the authority that
      its TLS certificate is from. --plain-http allows an http URL of this machine. --at checks as of another time. --require demands further claims.
      --profile demands what the kind of token must say, by its RFC: \(JWTProfile.names). It has 60 seconds of leeway unless --leeway says otherwise. Of a request object and a
      client assertion, --iss is the client and --aud the authorization server. --nonce is what the login sent.
      --max-lifetime: how long after iat, and from now, exp may be, 3653d unless given. --max-work: how many keys of a set are tried, 13000 unless given.
      Example  jose jwt verify --issuer https://idp.example.com --aud api < token
    jose jwt explain (--key FILE --iss S | --issuer URL [--cacert FILE] [--plain-http]) [--password-file FILE] [--alg ALG] … --aud S [--typ TYPE] [--leeway SECONDS] [--at UNIXTIME] [--require NAME] …
                     [--nonce S] [--profile PROFILE] [--max-lifetime TIME] [--max-work N] [TOKEN-OR-FILE]
      Says why jose jwt verify with the same options takes a token or not: all that is wrong, the header, each key and why it was passed over, each
      claim found and wanted, and how far dates are from now. What the token says is repeated, authentic or not: keep it out of logs. The exit
      status is 0 only if the token is accepted. --nonce goes with --profile id-token.
      Example  jose jwt explain --issuer https://idp.example.com --aud api < token

    """

  private static let certificate = """
    jose certificate verify --root FILE … [--at UNIXTIME] [--purpose any|sign|attestation] [--eku OID] < CHAIN
      Writes the public key of the first certificate as a JWK if the chain leads to a root: CHAIN is PEM, that certificate first and each of
      the others certifying the one before it. FILE holds roots in PEM, or one in DER; nothing else is trusted. sign demands a key for
      signatures; attestation a key on P-256 that is certified by ECDSA on P-256 or P-384 all the way; --eku a purpose in extKeyUsage.
      --at validates as of another time. Revocation is not checked.
      Example  jose certificate verify --root root.pem < chain.pem
    jose certificate explain --root FILE … [--at UNIXTIME] [--purpose any|sign|attestation] [--eku OID] < CHAIN
      Says why jose certificate verify with the same options takes a chain or not: each certificate, all that is wrong with it, each root that
      has its issuer's name and why that root has not issued it, and how far dates are from now. The exit status is 0 only if the chain is
      accepted.
      Example  jose certificate explain --root root.pem < chain.pem

    """

  private static let inspect = """
    jose inspect [--json] [TOKEN-OR-FILE]
      Shows the headers, and of a JWS the claims, without verifying anything. Of x5c, the keys and thumbprints; of times, the dates.
      --json writes one object, whose member verified is false.
      Example  jose inspect < token

    """

  private static let vectors = """
    jose vectors [--json] [--verbose] [--strict] [PATH …]
      Runs test vector files, or all such files of folders: jose_vectors_v1, Wycheproof, RFC 7520 cookbook, the examples of
      RFC 9964, X-Wing's draft, and ACVP and CCTV for ML-KEM and ML-DSA; JSON, texts of CCTV, either compressed by gzip.
      A row per file: what passed and what failed; what was skipped, with the reason, as are files of an unknown form; and
      remarks, which fail nothing. Files in folders that can't be vectors are named at the end, all but hidden ones.
      Without PATH: TestVectors in the current folder. A wycheproof_overrides.json beside or above a file is honoured.
      --json writes an object per file on a line of its own; --verbose lists the failed tests. Types of tests that aren't known are skipped by
      name; a member that isn't read is a remark, or, where it may decide what the test means, a reason to skip it: with --strict both fail.
      Exit status 1 if any test failed, or none was run.
      Example  jose vectors --verbose TestVectors

    """

  private static let demo = """
    jose demo \(DemoVerb.names.replacing(", ", with: "|")) [--verbose]
      Plays a whole exchange in one process and shows and checks every message.
      --verbose  shows the messages of platform-sso whole
      Example  jose demo all

    """
}
