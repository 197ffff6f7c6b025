import StrictJSON

/// Why a verifier accepts a token or refuses it, for a developer: `print(verifier.explain(token))`. The same of a chain
/// of certificates: ``CertificateTrust/explain(_:)``.
///
/// The text holds what the token says, every claim of it, whether it is authentic or not. Show it to the developer who
/// holds the token; never write it into a log, and never send it to the sender of the token, who would learn what to
/// forge.
public struct JWTExplanation: Sendable, CustomStringConvertible {
  /// Everything for which the token or the chain is refused. The first is what ``JWTVerifier/verify(_:as:)`` or
  /// ``CertificateTrust/validate(_:)-([[UInt8]])`` throws. Empty if it is accepted.
  public private(set) var refusals: [JOSEError] = []

  /// The header, each key and why it was passed over, each certificate and each root that may have issued it, each
  /// claim found and wanted, and how far dates are from now: a line for each, and the verdict first. What the sender
  /// wrote is in quotes, with all but printable ASCII escaped.
  public var description: String {
    var lines = [refusals.isEmpty ? "accepted" : "refused"]
    lines += refusals.map { "  \($0)" }
    return (lines + details).joined(separator: "\n")
  }

  private var details: [String] = []

  mutating func refuse(_ error: JOSEError) {
    // A step may say what `verify` has said already.
    guard !refusals.contains(error) else { return }
    refusals.append(error)
  }

  mutating func note(_ line: String) { details.append(line) }

  /// Notes a heading's line, and an error below it as a refusal.
  mutating func attempt(_ step: () throws(JOSEError) -> Void) {
    do throws(JOSEError) { try step() } catch { refuse(error) }
  }

  /// A text of a sender: in quotes, on one line, in printable ASCII, and cut where it is long.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars.prefix(200) {
      quoted +=
        scalar == "\"" || scalar == "\\" || !(0x20...0x7E).contains(scalar.value)
        ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
    return quoted + (text.unicodeScalars.count > 200 ? "\" …" : "\"")
  }

  static func quoted(_ texts: [String]) -> String { texts.map { quoted($0) }.joined(separator: ", ") }

  /// A value of a claim or parameter: texts in quotes, the rest as JSON in quotes where it isn't plain.
  static func shown(_ value: JSONValue) -> String {
    switch value {
    case .string(let text): quoted(text)
    case .number, .bool, .null: String(decoding: value.serialized().prefix(200), as: UTF8.self)
    case .array(let elements) where elements.allSatisfy { $0.stringValue != nil }:
      quoted(elements.compactMap(\.stringValue))
    default: quoted(String(decoding: value.serialized(), as: UTF8.self))
    }
  }

  /// How far a date is from now: `in 90 s`, `2 d 3 h ago`.
  static func distance(_ seconds: Double) -> String {
    seconds < 0 ? "\(length(seconds)) ago" : "in \(length(seconds))"
  }

  /// How long a time is: `90 s`, `2 d 3 h`.
  static func length(_ seconds: Double) -> String {
    var rest = Int(min(seconds.magnitude, 1e15).rounded(.up))
    var parts: [String] = []
    for (unit, size) in [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)] where rest >= size && parts.count < 2 {
      parts.append("\(rest / size) \(unit)")
      rest %= size
    }
    return parts.isEmpty ? "0 s" : parts.joined(separator: " ")
  }
}
