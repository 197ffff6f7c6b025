import JOSE
import PureCrypto
import StrictJSON

/// Responses that a Mac refuses, opened all the same: for a tool that says what is wrong with a server, and goes on.
extension PlatformSSODevice {
  /// The members of a response that ``unjudgedTokens(_:to:)`` refuses, if it opens: whatever its type, its party info
  /// and the form of its ephemeral key, and whatever the members are.
  package func unjudgedMembers(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(JOSEError) -> (members: JSONObject, header: ProtectedHeader) {
    let (plaintext, header) = try openedAnyhow(response, to: request)
    return (try JSONObject(parsing: plaintext, within: limits.claimsJSON), header)
  }

  /// The certificate of a response to a key request that ``openKeyResponse(_:to:)`` refuses.
  package func unjudgedKeyResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(JOSEError) -> KeyResponse {
    try tolerant.keyResponse(
      MessageMembers(parsing: openedAnyhow(response, to: request).plaintext, limits: limits))
  }

  /// The secret of a response to a key exchange request that ``openKeyExchangeResponse(_:to:)`` refuses.
  package func unjudgedKeyExchangeResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(JOSEError) -> KeyExchangeResponse {
    try tolerant.keyExchangeResponse(
      MessageMembers(parsing: openedAnyhow(response, to: request).plaintext, limits: limits))
  }

  /// Whether a response makes the Mac ask its user for another credential.
  package func asksUser(by response: HTTPResponseValue, to request: DeviceRequest) -> Bool {
    do throws(JOSEError) {
      try requireSuccess(response, to: request)
      return false
    } catch {
      return error.code == .credentialRejected
    }
  }

  /// The Mac with everything allowed that the servers of a product are known to do.
  private var tolerant: PlatformSSODevice {
    var device = self
    device.configuration.acceptsShortCoordinates = true
    device.configuration.checksCertificateValidity = false
    return device
  }

  /// What is in a response, by whichever party info its sender may have used: that of the header, the right one, or
  /// none, in either order.
  private func openedAnyhow(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(JOSEError) -> (plaintext: [UInt8], header: ProtectedHeader) {
    let message = try UnverifiedJWE(parsing: String(decoding: response.body, as: UTF8.self), limits: limits)
    let header = message.unverifiedHeader
    let failed = JOSEError.messageNotOpened
    let bitCounts: KeyValuePairs = ["A256GCM": 256, "A128GCM": 128, "A192GCM": 192]
    guard let key = keys.encryptionKey, let epk = Point(header["epk"]?.objectValue ?? [:]),
      let encryption = bitCounts.first(where: { header["enc"] == .string($0.key) }),
      message.authenticationTag.count == 16
    else { throw failed }
    let secret = try key.sharedSecret(with: .ec(.p256(epk.key)))
    func octets(_ name: String) -> [UInt8] { (try? Base64URL.decode(header[name]?.stringValue ?? "")) ?? [] }
    let ours = epk.forms.map { PartyUInfo.octets(ephemeralKeyX963Representation: $0) } + [[]]
    for partyUInfo in [octets("apu")] + ours {
      for partyVInfo in [request.agreementPartyVInfo.octets, octets("apv"), []] {
        for (first, second) in [(partyUInfo, partyVInfo), (partyVInfo, partyUInfo)] {
          let info = KeyAgreement.otherInfo(
            algorithmID: encryption.key, partyUInfo: first, partyVInfo: second, keyBitCount: encryption.value)
          guard let derived = try? secret.concatKDFDerivedKey(otherInfo: info, bitCount: encryption.value),
            let cipher = try? AESGCM(key: derived),
            let plaintext = try? cipher.open(
              ciphertext: message.ciphertext, truncatedTag: message.authenticationTag,
              anyInitializationVector: message.initializationVector, authenticating: message.headerText)
          else { continue }
          return (plaintext, header)
        }
      }
    }
    throw failed
  }

  /// A point of P-256 whose coordinates came with more or fewer octets than 32.
  private struct Point {
    let key: P256PublicKey
    /// As it came, and as it should be.
    let forms: [[UInt8]]

    init?(_ jwk: JSONObject) {
      let coordinates = ["x", "y"].compactMap { try? Base64URL.decode(jwk[$0]?.stringValue ?? "") }
      let numbers = coordinates.map { Array($0.drop { $0 == 0 }) }
      guard numbers.count == 2, numbers.allSatisfy({ (1...32).contains($0.count) }) else { return nil }
      let point = [0x04] + numbers.flatMap(EphemeralKeyMember.leftPadded)
      guard let key = try? P256PublicKey(x963Representation: point) else { return nil }
      self.key = key
      forms = [point, [0x04] + coordinates.joined()]
    }
  }
}
