import JOSE
import PureCrypto
import StrictJSON

/// The exact compact token for a given header text, with a deterministic signature.
struct JWSSignGroup: BareGroup {
  func run(_ test: MemberReader) throws -> Verdict {
    let name = try test.string("alg")
    let object = try test.jsonObject("key")
    let header = try test.string("protected")
    let payload = try test.octets("payload")
    let token = try test.string("token")
    guard let algorithm = SignatureAlgorithm(name: name) else { throw VectorFault.notImplemented(name) }
    let jwk = try JWK(object)
    let deterministic = try DeterministicSigner(jwk, algorithm: algorithm)
    let key = if let deterministic { SigningKey(deterministic) } else { try SigningKey(jwk, algorithm: algorithm) }
    let signingInput = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(payload))"
    let signature = try key.signature(for: Array(signingInput.utf8))
    guard "\(signingInput).\(Base64URL.encode(signature))".utf8.elementsEqual(token.utf8) else {
      return .wrong("the token differs")
    }
    return try judgeBuilder(header: header, payload: payload, token: token, key: key)
  }

  /// Where the package writes the same header by itself, its token must be the same; and the token must verify.
  private func judgeBuilder(
    header: String, payload: [UInt8], token: String, key: SigningKey
  ) throws(JOSEError) -> Verdict {
    let members = try JSONObject(parsing: header.utf8, within: Limits.default.headerJSON)
    let parameters = HeaderParameters(type: members["typ"]?.stringValue, keyID: members["kid"]?.stringValue)
    let built = try JWS.sign(payload, with: key, header: parameters)
    if built.hasPrefix("\(Base64URL.encode(header.utf8)).") {
      guard built.utf8.elementsEqual(token.utf8) else { return .wrong("the built token differs") }
    }
    let verified = try JWS.verify(token, with: key.verificationKey)
    return .accepted(if: verified.payload == payload, otherwise: "the payload differs")
  }
}

/// A key of ECDSA whose nonces are those of RFC 6979, or of ML-DSA without randomness, through the door for keys that
/// live elsewhere.
private struct DeterministicSigner: ExternalSigner {
  private let sign: @Sendable ([UInt8]) throws -> [UInt8]
  let verificationKey: VerificationKey

  /// Nil for other algorithms.
  init?(_ jwk: JWK, algorithm: SignatureAlgorithm) throws(JOSEError) {
    switch jwk.material {
    case .privateKey(.ec(let key)): sign = { key.signature(for: $0, nonce: .deterministic) }
    case .privateKey(.mlDSA(let key)): sign = { try key.signature(for: $0, deterministically: true) }
    default: return nil
    }
    verificationKey = try SigningKey(jwk, algorithm: algorithm).verificationKey
  }

  func signature(for signingInput: [UInt8]) throws -> [UInt8] { try sign(signingInput) }
}
