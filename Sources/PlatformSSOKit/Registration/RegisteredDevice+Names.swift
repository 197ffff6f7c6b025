import JOSE
import StrictJSON

/// Whose a name is: Apple's word on a UDID or a serial number goes before any sender's.
extension RegisteredDevice {
  /// The UDID and the serial number that Apple attests.
  var attestedNames: [String] { identity == .attested ? macNames : [] }

  /// The UDID and the serial number that the sender claims.
  var claimedNames: [String] { identity == .claimed ? macNames : [] }

  private var macNames: [String] { [udid, serialNumber].compactMap { $0 } }

  /// Whether an attested device is the Mac that is registered here. A name, UDID or serial number that was merely
  /// claimed here gives way to an attestation of it.
  func isSameMac(as attested: RegisteredDevice) -> Bool {
    guard attested.identity == .attested else { return false }
    if identity == .attested { return attestedNames.contains { attested.isAttested(as: $0) } }
    return ([id] + claimedNames).contains { attested.isAttested(as: $0) }
  }

  /// Whether Apple attests that the Mac has this name.
  func isAttested(as name: String) -> Bool { attestedNames.wireNames.contains(name) }

  /// Whether a registration that was claimed may keep its name now that its key is attested. A name of the user's
  /// choice may: what Macs have wrapped is sealed for it. A UDID or serial number may only if it is the attested one.
  func keepsName(attestedAs attested: RegisteredDevice) -> Bool {
    attested.isAttested(as: id) || !(claimedNames.wireNames.contains(id) || Self.isLikeMacName(id))
  }

  /// Whether a text has the form of Apple's UDIDs (`00008103-001A2B3C4D5E6F70`, 40 hexadecimal digits, a UUID) or
  /// serial numbers (8 to 14 capital letters and digits, some of both).
  private static func isLikeMacName(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    if groups.joined().allSatisfy({ $0.hexadecimalValue != nil }) {
      let counts = groups.map(\.count)
      if [[40], [8, 4, 4, 4, 12]].contains(counts) { return true }
      if counts.count == 2, counts[0] == 8, (4...16).contains(counts[1]) { return true }
    }
    let digits = text.utf8.count { $0.isASCIIDigit }
    let capitals = text.utf8.count { (0x41...0x5A).contains($0) }
    return digits > 0 && capitals > 0 && digits + capitals == text.utf8.count && (8...14).contains(text.utf8.count)
  }
}
