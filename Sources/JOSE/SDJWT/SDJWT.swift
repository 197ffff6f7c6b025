import PureCrypto
import StrictJSON

/// A signed token whose holder shows of its claims what a verifier needs.
///
/// - ``issue(_:disclosing:decoys:holder:hash:with:type:header:)`` makes one; the issuer gives it to the holder.
/// - ``presenting(_:limits:)`` leaves out of it what is not to be shown, and
///   ``bound(to:nonce:claims:with:clock:)`` proves that its holder shows it.
/// - ``SDJWTVerifier`` verifies what is shown. A value of this type has not been verified.
///
/// Source: RFC 9901.
public struct SDJWT: Sendable {
  /// The token of the issuer.
  package let issuerToken: String
  let disclosures: [Disclosure]
  /// The key binding token behind the last `~`.
  let keyBinding: String?

  /// Names that belong to the format.
  static let reservedNames: [WireName] = ["_sd", "..."]

  init(issuerToken: String, disclosures: [Disclosure], keyBinding: String? = nil) {
    (self.issuerToken, self.disclosures, self.keyBinding) = (issuerToken, disclosures, keyBinding)
  }

  /// Takes a token apart, compact or in JSON serialization. Of a general one the first signature counts.
  ///
  /// - Throws: ``ErrorCode/malformed``, ``ErrorCode/limitExceeded``.
  public init(parsing text: String, limits: Limits = .default) throws(JOSEError) {
    guard text.utf8.count <= limits.messageByteCount else { throw CompactSegments.tooLong("messageByteCount") }
    let parts =
      text.utf8.first == 0x7B
      ? try Self.parts(ofJSON: text, limits: limits) : try Self.parts(ofCompact: text, limits: limits)
    (issuerToken, keyBinding) = (parts[0], parts[parts.count - 1].isEmpty ? nil : parts[parts.count - 1])
    var disclosures: [Disclosure] = []
    for part in parts[1..<(parts.count - 1)] { disclosures.append(try Disclosure(parsing: part, limits: limits)) }
    self.disclosures = disclosures
  }

  /// `<issuer's token>~<disclosure>~…~<key binding>`, whose last part is empty without key binding.
  public var compact: String { signedText + (keyBinding ?? "") }

  /// The same token in flattened JSON serialization, whose unprotected header has the disclosures and the key binding.
  ///
  /// Source: RFC 9901 §8.
  public var jsonSerialization: JSONObject {
    var header: JSONObject = ["disclosures": .array(disclosures.map { .string($0.text) })]
    if let keyBinding { header["kb_jwt"] = .string(keyBinding) }
    let parts = issuerToken.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
      .map { JSONValue.string(String(decoding: $0, as: UTF8.self)) }
    let members = zip(["protected", "payload", "signature"], parts).map { ($0, $1) }
    return JSONObject(members + [("header", .object(header))])
  }

  /// What a key binding is about: everything up to and with the last `~`.
  var signedText: String { ([issuerToken] + disclosures.map(\.text)).map { $0 + "~" }.joined() }

  /// Whether the holder's proof is there. Whether it must be is up to the verifier.
  public var isBound: Bool { keyBinding != nil }

  /// The issuer's token, the disclosures, and the key binding or an empty text.
  private static func parts(ofCompact text: String, limits: Limits) throws(JOSEError) -> [String] {
    // Counted before anything is copied: many of them cost a look at the text.
    let disclosureCount = text.utf8.count(where: { $0 == 0x7E }) - 1
    guard disclosureCount >= 0 else {
      throw JOSEError(.malformed, "an SD-JWT has a tilde behind the issuer's token and behind each disclosure")
    }
    guard disclosureCount <= limits.disclosureCount else { throw tooMany }
    // By octets: a combining character behind a tilde makes another character of it.
    let parts = text.utf8.split(separator: 0x7E, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard parts.dropLast().allSatisfy({ !$0.isEmpty }) else {
      throw JOSEError(.malformed, "a part between two tildes is empty")
    }
    return parts
  }

  private static var tooMany: JOSEError {
    JOSEError(.limitExceeded, "the token has too many disclosures", name: "disclosureCount")
  }

  /// The same of a JSON serialization, whose unprotected header has what is not signed.
  ///
  /// Source: RFC 9901 §8.
  private static func parts(ofJSON text: String, limits: Limits) throws(JOSEError) -> [String] {
    let message = try JSONDocument(parsingMessage: text.utf8, limits: limits).root
    let signatures = try message.serializationObjects(
      "signatures", countLimit: limits.signatureCount, limitName: "signatureCount")
    let first = signatures?.first ?? message
    guard signatures == nil || message["signature"] == nil && message["header"] == nil else {
      throw JOSEError(.malformed, "the message is both flattened and general", name: "signatures")
    }
    func optional(_ name: String, of object: JSONView?) throws(JOSEError) -> String? {
      guard let text = try object?.serializationText(name) else { return nil }
      guard !text.isEmpty, !text.contains(0x7E) else {
        throw JOSEError(.malformed, "the member is empty, or has a tilde in it", name: name)
      }
      return String(decoding: text, as: UTF8.self)
    }
    func member(_ name: String, of object: JSONView) throws(JOSEError) -> String {
      guard let text = try optional(name, of: object) else {
        throw JOSEError(.malformed, "a member of the message is absent", name: name)
      }
      return text
    }
    var budget = HeaderBudget(limits)
    for other in signatures?.dropFirst() ?? [] {
      let header = try other.unprotectedHeader("header", budget: &budget)
      guard header["disclosures"] == nil, header["kb_jwt"] == nil else {
        throw JOSEError(.malformed, "disclosures stand at the first signature alone", name: "disclosures")
      }
    }
    let token = [
      try member("protected", of: first), try member("payload", of: message), try member("signature", of: first),
    ].joined(separator: ".")
    // Read in place: they have bounds of their own, not those of a header.
    let header = try first.serializationObject("header")
    var disclosures: [String] = []
    if let list = header?["disclosures"] {
      let malformed = JOSEError(.malformed, "the member is not an array of disclosures", name: "disclosures")
      guard list.kind == .array else { throw malformed }
      for element in list.elements {
        guard disclosures.count < limits.disclosureCount else { throw tooMany }
        guard element.kind == .string, !element.text.isEmpty, !element.text.contains(0x7E) else { throw malformed }
        disclosures.append(String(decoding: element.text, as: UTF8.self))
      }
    }
    return [token] + disclosures + [try optional("kb_jwt", of: header) ?? ""]
  }
}

extension SDJWT: Redacted {
  /// The number of disclosures. Never what they disclose.
  public var description: String { "SDJWT(\(disclosures.count) disclosures\(isBound ? ", bound" : ""))" }
}
