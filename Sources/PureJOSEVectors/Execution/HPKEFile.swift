import PureCrypto
import StrictJSON

/// Runs of HPKE as drafts print them: with all that is derived, or accumulated.
enum HPKEFile {
  /// What the drafts call a member, and what the package's own files do.
  private static let ownNames = [
    "kem_id": "kemId", "kdf_id": "kdfId", "aead_id": "aeadId", "psk_id": "pskId", "skEm": "skE", "skRm": "skR",
    "pkRm": "pkR", "shared_secret": "sharedSecret", "key_schedule_context": "keyScheduleContext",
    "base_nonce": "baseNonce", "exporter_secret": "exporterSecret", "sequence number": "sequenceNumber", "pt": "msg",
    "exporter_context": "exporterContext", "L": "size", "exported_value": "exported",
    "encryptions_accumulated": "sealedDigest", "exports_accumulated": "exportedDigest",
  ]

  private static let numbers: Set = ["mode", "kemId", "kdfId", "aeadId", "sequenceNumber", "size"]

  /// The runs of a document, or nil when it has none.
  static func runs(of document: JSONObject) -> [JSONValue]? {
    guard let runs = document["vectors"]?.arrayValue, let first = runs.first?.objectValue,
      ["suite", "values"].allSatisfy(first.contains)
    else { return nil }
    return runs
  }

  /// Whether an array has the shape of such a file: its first element says so.
  static func recognizes(_ elements: [JSONValue]) -> Bool {
    guard let first = elements.first?.objectValue else { return false }
    return ["kem_id", "kdf_id", "aead_id"].allSatisfy(first.contains)
  }

  static func run(_ elements: [JSONValue], into report: inout VectorReport) {
    report.judge(elements, by: judge)
  }

  private static func judge(_ test: MemberReader) throws -> Verdict {
    // In a document the values are an object of their own, in an array they stand beside the messages.
    var values: JSONObject = [:]
    if test.has("values") {
      _ = try test.string("suite")
      values = try test.jsonObject("values")
    } else {
      for name in test.names where !["encryptions", "exports"].contains(name) { values[name] = try test.value(name) }
    }
    let group = MemberReader(own(values))
    // The public key of the sender is what it sends, and the suite's number is made of the others'.
    if try group.string(ifPresent: "pkEm") != group.string(ifPresent: "enc"), group.has("pkEm") {
      return .wrong("pkEm is not enc")
    }
    _ = try group.string(ifPresent: "suite_id")
    var verdict = Verdict.accepted
    if group.has("exportedDigest") {
      verdict = try HPKEAccumulatedGroup(count: 1000).run(group)
    } else {
      let context = try HPKEContextGroup(reading: group, in: FileContext(algorithm: ""))
      for (number, message) in try (messages(test, "encryptions") + messages(test, "exports")).enumerated() {
        let reader = MemberReader(message)
        guard case .accepted = verdict else { return verdict }
        verdict = try context.run(reader)
        if let name = reader.unread.first { throw VectorFault.malformed("unread field \(name) of \(number)") }
      }
    }
    if let name = group.unread.first { throw VectorFault.malformed("unread field \(name)") }
    return verdict
  }

  /// The messages or exported secrets, with numbers where they have none.
  private static func messages(_ test: MemberReader, _ name: String) throws(VectorFault) -> [JSONObject] {
    guard test.has(name) else { return [] }
    guard let elements = try test.value(name).arrayValue else { throw .malformed("member \(name) is not an array") }
    return elements.enumerated().map { index, element in
      var object = own(element.objectValue ?? [:])
      if name == "encryptions", !object.contains("sequenceNumber") {
        object["sequenceNumber"] = .number(JSONNumber(index))
      }
      return object
    }
  }

  /// The same members under the package's own names, numbers as such.
  private static func own(_ object: JSONObject) -> JSONObject {
    var result: JSONObject = [:]
    for member in object.members where !member.value.isNull {
      let name = ownNames[member.name] ?? member.name
      let number = numbers.contains(name) ? member.value.stringValue.flatMap(Int.init) : nil
      result[name] = number.map { .number(JSONNumber($0)) } ?? member.value
    }
    return result
  }
}
