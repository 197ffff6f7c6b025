import JOSE
import StrictJSON

/// Shows a token without verifying it: `jose inspect`.
struct InspectVerb {
  let console: Console
  var clock = WallClock.system

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: [], flags: ["json"])
    let text = try console.readToken(arguments)
    if arguments.has("json") {
      return console.write(Visible.json(.object(try InspectedToken(text).json), isPretty: false) + "\n")
    }
    let shown = text.isJSONSerialization ? try showJSON(text) : try showCompact(text)
    console.write("NOT VERIFIED: anybody may have written this\n" + shown)
  }

  private func showCompact(_ text: String) throws(CommandFailure) -> String {
    let token = try attempt { try UnverifiedCompact(parsing: text) }
    var report = try show(token.header.parameters, as: "header")
    report += token.signed.map { show(payload: $0.unverifiedPayload) } ?? "content encrypted\n"
    return report
  }

  /// Each signature's or recipient's headers, protected and not.
  private func showJSON(_ text: String) throws(CommandFailure) -> String {
    let message = try attempt { try JSONObject(parsing: text.utf8, within: Limits.default.messageJSON) }
    let isEncrypted = message["ciphertext"] != nil
    guard isEncrypted || message["signature"] != nil || message["signatures"] != nil else {
      throw .invalid("malformed: neither a JWS nor a JWE in JSON")
    }
    var report = try show(protectedOf: message)
    if let shared = message["unprotected"] { report += "unprotected header " + pretty(shared) + "\n" }
    if let own = message["header"] { report += "unprotected header " + pretty(own) + "\n" }
    let name = isEncrypted ? "recipient" : "signature"
    for (index, part) in (message[name + "s"]?.arrayValue ?? []).enumerated() {
      report += "\(name) \(index)\n"
      guard let part = part.objectValue else { throw .invalid("malformed: a \(name) is not an object") }
      report += try show(protectedOf: part)
      if let own = part["header"] { report += "unprotected header " + pretty(own) + "\n" }
    }
    if isEncrypted { return report + "content encrypted\n" }
    guard let payload = message["payload"]?.stringValue else { return report + "payload detached\n" }
    return report + show(payload: (try? Base64URL.decode(payload)) ?? Array(payload.utf8))
  }

  private func show(protectedOf part: JSONObject) throws(CommandFailure) -> String {
    guard let text = part["protected"]?.stringValue else { return "" }
    let header = try attempt { try JSONObject(parsing: try Base64URL.decode(text), within: Limits.default.headerJSON) }
    return try show(header, as: "protected header")
  }

  private func show(_ header: JSONObject, as title: String) throws(CommandFailure) -> String {
    var report = "\(title) " + pretty(.object(header)) + "\n"
    for (index, entry) in (header["x5c"]?.arrayValue ?? []).enumerated() {
      guard let text = entry.stringValue, let octets = try? Base64.decode(text) else { continue }
      report += "certificate \(index), chain not validated: "
      let certificate = try? LeafCertificate(derRepresentation: octets)
      report += certificate.map(CertificateText.line) ?? "\(octets.count) octets, its key can't be read"
      report += "\n"
    }
    return report
  }

  private func show(payload: [UInt8]) -> String {
    guard let claims = try? JSONObject(parsing: payload) else {
      return "payload \(payload.count) octets, no JSON object\n"
    }
    let dates = DateText.lines(of: claims, now: clock.now)
    return "claims " + pretty(.object(claims)) + "\n" + dates.map { $0 + "\n" }.joined()
  }

  private func pretty(_ value: JSONValue) -> String { Visible.json(value) }
}

/// A certificate as one line.
enum CertificateText {
  static func line(_ certificate: LeafCertificate) -> String {
    let key = certificate.publicKey
    // Of a certificate's keys, those of ML-DSA name an algorithm.
    let kind = key.curve?.description ?? key.algorithm
    let type = kind.map { "\(key.keyType) \($0)" } ?? "\(key.keyType)"
    let thumbprint = (try? key.thumbprint()) ?? ""
    return "\(type) key \(thumbprint), x5t \(certificate.sha1Thumbprint), x5t#S256 \(certificate.sha256Thumbprint)"
  }
}
