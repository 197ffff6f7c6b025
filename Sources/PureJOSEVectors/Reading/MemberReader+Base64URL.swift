import JOSE

extension MemberReader {
  /// The octets of a base64url text.
  func base64URL(_ name: String) throws(VectorFault) -> [UInt8] {
    let text = try string(name)
    do throws(JOSEError) {
      return try Base64URL.decode(text)
    } catch {
      throw .malformed("member \(name) is not base64url")
    }
  }

  func base64URL(ifPresent name: String) throws(VectorFault) -> [UInt8]? {
    has(name) ? try base64URL(name) : nil
  }
}
