import JOSE
import StrictJSON

extension MemberReader {
  /// The algorithm that a member names.
  /// - Throws: ``VectorFault/notImplemented(_:)`` with the first name that `isImplemented` denies, or when there are several.
  func implementedName(_ name: String, _ isImplemented: (String) -> Bool) throws(VectorFault) -> String {
    guard let names = try value(name).arrayValue?.compactMap(\.stringValue) else {
      let single = try string(name)
      guard isImplemented(single) else { throw .notImplemented(single) }
      return single
    }
    throw .notImplemented(names.first { !isImplemented($0) } ?? "JSON serialization (general)")
  }

  /// The protected header in base64url, which must be that of the object beside it.
  func encodedHeader() throws(VectorFault) -> String {
    let header = try jsonObject("protected")
    let encoded = try string("protected_b64u")
    guard let octets = try? Base64URL.decode(encoded), (try? JSONObject(parsing: octets)) == header else {
      throw .malformed("protected_b64u is not the header")
    }
    return encoded
  }

  /// The same token in JSON serialization, as far as the example has it.
  func otherSerializations() throws(VectorFault) -> [MemberReader] {
    var serializations: [MemberReader] = []
    for name in ["json", "json_flat"] {
      if let serialization = try object(ifPresent: name) { serializations.append(serialization) }
    }
    return serializations
  }

  /// Requires that a member is a certain text.
  func requireString(_ name: String, _ expected: String) throws(VectorFault) {
    guard try string(name).utf8.elementsEqual(expected.utf8) else {
      throw .malformed("member \(name) is not the part of the compact token")
    }
  }
}
