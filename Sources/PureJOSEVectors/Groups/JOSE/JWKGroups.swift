import JOSE
import PureCrypto
import StrictJSON

/// Import of a JWK, and what it is afterwards.
struct JWKImportGroup: BareGroup {
  func run(_ test: MemberReader) throws -> Verdict {
    let text = try test.string("jwk")
    let keyType = try test.string(ifPresent: "kty")
    let curve = try test.string(ifPresent: "crv")
    let keyID = try test.string(ifPresent: "kid")
    let isPrivate = try test.boolean(ifPresent: "private")
    let thumbprint = try test.string(ifPresent: "thumbprintSha256")
    let key = try JWK(parsing: text)
    guard keyType.map({ $0 == key.keyType.description }) ?? true else { return .wrong("kty differs") }
    guard curve == nil || curve == key.curve?.description else { return .wrong("crv differs") }
    guard keyID == nil || keyID?.utf8.elementsEqual(key.keyID?.utf8 ?? "".utf8) ?? false else {
      return .wrong("kid differs")
    }
    // A symmetric key is secret as a whole; `private` speaks of the private half of a pair.
    guard isPrivate.map({ $0 == (key.isPrivate && key.keyType != .oct) }) ?? true else {
      return .wrong("private differs")
    }
    guard thumbprint.map({ $0 == key.secretKeyThumbprint() }) ?? true else { return .wrong("the thumbprint differs") }
    return try judgeRoundTrip(of: key)
  }

  private func judgeRoundTrip(of key: JWK) throws(JOSEError) -> Verdict {
    let copy = try JWK(parsing: key.serializedWithPrivateKey())
    guard copy.secretKeyThumbprint() == key.secretKeyThumbprint(), copy.isPrivate == key.isPrivate else {
      return .wrong("writing and reading gives another key")
    }
    guard let publicKey = key.publicKey else { return .accepted }
    let exported = try JSONObject(parsing: publicKey.serialized(), within: Limits.default.keyJSON)
    guard !JWK.privateMembers.contains(where: { exported[$0] != nil }) else {
      return .wrong("the public export has a private member")
    }
    return .accepted(
      if: try JWK(exported).thumbprint() == key.thumbprint(), otherwise: "the public export is another key")
  }
}

/// The thumbprints of RFC 7638, and the name that RFC 9278 makes of one.
struct JWKThumbprintGroup: BareGroup {
  func run(_ test: MemberReader) throws -> Verdict {
    let text = try test.string("jwk")
    let hashInput = try test.string("hashInput")
    let (sha256, sha384) = (try test.string("sha256"), try test.string("sha384"))
    let sha512 = try test.string("sha512")
    let name = try test.string("uri")
    let key = try JWK(parsing: text)
    guard key.thumbprintInput.elementsEqual(hashInput.utf8) else { return .wrong("the hashed text differs") }
    guard key.thumbprint(using: SHA2.SHA256.self) == sha256, key.thumbprint(using: SHA2.SHA384.self) == sha384,
      key.thumbprint(using: SHA2.SHA512.self) == sha512, key.secretKeyThumbprint() == sha256
    else { return .wrong("a thumbprint differs") }
    if key.keyType != .oct, try key.thumbprint() != sha256 { return .wrong("a thumbprint differs") }
    return .accepted(
      if: name == "urn:ietf:params:oauth:jwk-thumbprint:sha-256:" + key.secretKeyThumbprint(),
      otherwise: "the URI differs")
  }
}
