import StrictJSON

/// What becomes of documents on disks and in the hands of other versions.
package struct DocumentDamage: Sendable {
  /// What is left.
  package let name: String
  /// Makes that of a document.
  package let change: @Sendable (_ document: [UInt8]) -> [UInt8]

  /// What is no JSON object any more.
  package static let illegible = [
    DocumentDamage(name: "an empty document") { _ in [] },
    DocumentDamage(name: "the first half of a document") { Array($0.prefix($0.count / 2)) },
    DocumentDamage(name: "a document without its last octet") { Array($0.dropLast()) },
    // File systems leave such after a loss of power.
    DocumentDamage(name: "a document of zeros") { [UInt8](repeating: 0, count: $0.count) },
    DocumentDamage(name: "a document with an octet that is no text") { document in
      Array(document.prefix(document.count / 2)) + [0xFF] + Array(document.dropFirst(document.count / 2 + 1))
    },
    DocumentDamage(name: "a document that stands there twice") { $0 + $0 },
    DocumentDamage(name: "an array in a document's place") { _ in Array("[1]".utf8) },
  ]

  /// What is no document of any form that has members.
  package static let ofAnyForm =
    illegible + [DocumentDamage(name: "a document without members") { _ in Array("{}".utf8) }]

  /// What is no document of this form any more.
  package static let all =
    ofAnyForm + [
      DocumentDamage(name: "a document without a version") { changing($0) { _ in nil } },
      DocumentDamage(name: "a document of a newer form than this code's") { changing($0) { $0 + 1 } },
      DocumentDamage(name: "a document whose version is no whole number") { changing($0) { $0 + 0.5 } },
    ]

  /// This change of the one document that has these octets in it.
  package func to(documentWith part: String) -> @Sendable (_ document: [UInt8]) -> [UInt8] {
    let octets = Array(part.utf8)
    return { document in
      let isThisOne = document.indices.contains { document[$0...].starts(with: octets) }
      return isThisOne ? change(document) : document
    }
  }

  /// The document with another version, or with none. One in binary begins with it.
  private static func changing(_ document: [UInt8], _ version: (Double) -> Double?) -> [UInt8] {
    guard var object = try? JSONObject(parsing: document) else {
      let next = document.first.flatMap { version(Double($0)) }.map { [UInt8($0.rounded(.up))] } ?? []
      return next + document.dropFirst()
    }
    for name in ["version", "v"] {
      guard let number = object[name]?.doubleValue else { continue }
      object[name] = version(number).flatMap { try? JSONNumber($0) }.map { .number($0) }
      object["addedLater"] = ["a": 1]
    }
    return object.serialized()
  }
}
