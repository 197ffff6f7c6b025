import JOSE
import StrictJSON

/// A signed example: its inputs, the steps between, and the token in each serialization.
struct CookbookJWS {
  /// The token in compact form.
  let compact: String
  private let payload: String
  private let key: JSONObject
  private let algorithm: SignatureAlgorithm
  private let protectedHeader: String
  private let signingInput: String
  private let signature: String
  private let jsonTexts: [JSONObject]

  init(reading file: MemberReader) throws(VectorFault) {
    let input = try file.object("input")
    let name = try input.implementedName("alg") { SignatureAlgorithm(name: $0) != nil }
    guard let algorithm = SignatureAlgorithm(name: name) else { throw .notImplemented(name) }
    self.algorithm = algorithm
    payload = try input.string("payload")
    key = try input.jsonObject("key")
    let output = try file.object("output")
    compact = try output.string("compact")
    jsonTexts = try output.jsonSerializations()
    let signing = try file.object("signing")
    protectedHeader = try signing.encodedHeader()
    signingInput = try signing.string("sig-input")
    signature = try signing.string("sig")
    for serialization in try output.otherSerializations() {
      try serialization.requireString("payload", Base64URL.encode(payload.utf8))
      try serialization.requireSignature(protectedHeader: protectedHeader, signature: signature)
    }
  }

  func judge() throws -> Verdict {
    guard signingInput == "\(protectedHeader).\(Base64URL.encode(payload.utf8))",
      compact == "\(signingInput).\(signature)"
    else { return .wrong("the parts are not those of the token") }
    let signingKey = try SigningKey(JWK(key), algorithm: algorithm)
    let verified = try JWS.verify(compact, with: signingKey.verificationKey)
    guard verified.payload.elementsEqual(payload.utf8) else { return .wrong("the payload differs") }
    for text in jsonTexts {
      let other = try JWS.verifyJSON(
        String(decoding: text.serialized(), as: UTF8.self), requiring: .key(signingKey.verificationKey))
      guard other.payload == verified.payload else { return .wrong("the payload differs in JSON") }
    }
    // What draws random bits can't be repeated.
    let isRepeatable = algorithm.row.keyType == .oct || [.rs256, .rs384, .rs512, .eddsa].contains(algorithm)
    guard isRepeatable else { return .accepted }
    let made = Base64URL.encode(try signingKey.signature(for: Array(signingInput.utf8)))
    return .accepted(if: made == signature, otherwise: "the signature differs")
  }
}

extension MemberReader {
  /// A signature in flattened serialization, or the only one in general serialization.
  fileprivate func requireSignature(protectedHeader: String, signature: String) throws(VectorFault) {
    guard has("signatures") else {
      try requireString("protected", protectedHeader)
      return try requireString("signature", signature)
    }
    let signatures = try objects("signatures")
    guard signatures.count == 1 else { throw .malformed("there are several signatures") }
    try signatures[0].requireString("protected", protectedHeader)
    try signatures[0].requireString("signature", signature)
    if let name = signatures[0].unread.first { throw .malformed("unread field signatures.\(name)") }
  }
}
