import JOSE

/// Strict base64url.
struct Base64URLGroup: BareGroup {
  func run(_ test: MemberReader) throws -> Verdict {
    let encoded = try test.string("encoded")
    let expected = try test.octets(ifPresent: "decoded")
    let decoded = try Base64URL.decode(encoded)
    guard expected.map({ $0 == decoded }) ?? true else { return .wrong("the octets differ") }
    return .accepted(
      if: Base64URL.encode(decoded).utf8.elementsEqual(encoded.utf8), otherwise: "encoding again gives another text")
  }
}
