import JOSE
import PureCrypto
import StrictJSON

/// The header parameter `epk`, as a point that is known to be on the curve.
struct EphemeralKeyMember {
  let key: P256PublicKey
  /// `04 ‖ X ‖ Y` as received: 65 octets, or fewer if the sender dropped leading zeros.
  let receivedRepresentation: [UInt8]

  /// Reads `epk`. Unknown members are ignored: some servers put `use`, `kid` and `iat` there.
  init(_ header: ProtectedHeader, acceptsShortCoordinates: Bool) throws(JOSEError) {
    guard case .object(let object)? = header["epk"] else {
      throw JOSEError(.headerInvalid, "the ephemeral public key is absent or not an object", name: "epk")
    }
    let invalid = JOSEError(
      .keyInvalid, "the ephemeral public key is not a point of P-256 with 32 octets each", name: "epk")
    guard JWK.privateMembers.allSatisfy({ object[$0] == nil }),
      object["kty"] == "EC", object["crv"] == "P-256",
      let x = try? object.octets("x", orThrow: .headerInvalid),
      let y = try? object.octets("y", orThrow: .headerInvalid)
    else { throw invalid }
    let lengths = acceptsShortCoordinates ? 1...32 : 32...32
    guard lengths.contains(x.count), lengths.contains(y.count) else { throw invalid }
    let point = [0x04] + Self.leftPadded(x) + Self.leftPadded(y)
    guard let key = try? P256PublicKey(x963Representation: point) else { throw invalid }
    self.key = key
    receivedRepresentation = [0x04] + x + y
  }

  /// Fills up to 32 octets on the left. The argument has 1 to 32.
  static func leftPadded(_ octets: [UInt8]) -> [UInt8] {
    [UInt8](repeating: 0, count: 32 - octets.count) + octets
  }
}
