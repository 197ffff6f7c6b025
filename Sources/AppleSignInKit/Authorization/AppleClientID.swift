import JOSE
import StrictJSON

/// The rules on `client_id`: an App ID or a Services ID without the Team ID.
package enum AppleClientID {
  /// - Parameter teamID: the caller's Team ID. Without it, anything that begins like one is refused.
  package static func requireValid(_ clientID: String, teamID: String?) throws(JOSEError) {
    guard clientID.isVisibleASCII(upTo: 255) else {
      throw JOSEError(.clientIDInvalid, "the client identifier is empty or unprintable", name: "client_id")
    }
    let contained = JOSEError(
      .clientIDInvalid, "the client identifier is an App ID or Services ID, and has no Team ID in it", name: "client_id"
    )
    if let teamID, WireName(clientID) == teamID || clientID.utf8.starts(with: (teamID + ".").utf8) {
      throw contained
    }
    // A Team ID and an App ID prefix look alike: ten capitals and digits, then a dot.
    let bytes = Array(clientID.utf8)
    if bytes.count > 10, bytes[10] == 0x2E, isTeamShaped(bytes[..<10]) { throw contained }
  }

  /// Whether bytes are ten upper-case letters and digits.
  static func isTeamShaped(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.count == 10 && bytes.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
  }
}
