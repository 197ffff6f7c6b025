import JOSE
import PureCrypto
import StrictJSON

/// What a program without a browser shows its user, who answers on another device.
///
/// Show ``userCode`` and ``verificationURI`` in any case: the user compares the code with the one that the page shows.
/// ``verificationURIComplete`` saves typing, as a QR code say.
///
/// Source: RFC 8628 §3.2, §3.3.1.
public struct DeviceAuthorization: Sendable {
  /// `user_code`: what the user types.
  public let userCode: String
  /// `verification_uri`: where.
  public let verificationURI: String
  /// `verification_uri_complete`: the same with the code in it, if the server makes one.
  public let verificationURIComplete: String?
  /// How long there is time for that.
  public let lifetime: Duration
  /// `device_code`, by which the tokens are asked for. Secret.
  package let deviceCode: String
  /// `interval`: how long to wait between two questions.
  package let interval: Duration

  /// Reads the server's answer.
  ///
  /// - Throws: `ErrorCode.answerMalformed`, with the member's name: also for a code that would not be seen as it is,
  ///   and for an address that a browser must not be sent to.
  package init(parsing body: [UInt8]) throws(OpenIDError) {
    func fault(_ name: String) -> OpenIDError {
      OpenIDError(.answerMalformed, "the server's answer has no codes for a device", name: name)
    }
    guard let object = try? JSONObject(parsing: body, limits: OAuthAnswer.limits) else { throw fault("device_code") }
    func text(_ name: String) -> String? {
      object[name]?.stringValue.flatMap {
        (1...4096).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? $0 : nil
      }
    }
    func address(_ name: String) -> String? {
      text(name).flatMap { text in
        guard let address = try? URIComponents(parsing: text), address.host != nil,
          ["https", "http"].wireNames.contains(where: { $0 == address.scheme.asciiLowercased })
        else { return nil }
        return text
      }
    }
    guard let deviceCode = text("device_code") else { throw fault("device_code") }
    guard let userCode = text("user_code"), userCode.utf8.count <= 64 else { throw fault("user_code") }
    // Some servers are older than the name.
    guard let verificationURI = address("verification_uri") ?? address("verification_url") else {
      throw fault("verification_uri")
    }
    guard let seconds = object["expires_in"].flatMap(OAuthAnswer.seconds), seconds >= 1 else {
      throw fault("expires_in")
    }
    (self.deviceCode, self.userCode, self.verificationURI) = (deviceCode, userCode, verificationURI)
    verificationURIComplete = address("verification_uri_complete")
    lifetime = Duration(saturating: min(seconds, 86_400))
    let interval = object["interval"].flatMap(OAuthAnswer.seconds) ?? 0
    self.interval = interval >= 1 ? Duration(saturating: min(interval, 86_400)) : .seconds(5)
  }
}

extension DeviceAuthorization: Redacted {}
