import PureCrypto
import StrictJSON

/// What sender and recipient of HPKE know beside the recipient's key. It comes from both callers, never from a message,
/// which may only name the pre-shared key.
struct HPKEAgreement: Sendable {
  /// With integrated encryption the `info` of HPKE; with key encryption the part of it that the callers choose
  /// (`recipient_extra_info`).
  var info: [UInt8] = []
  /// Its presence chooses the mode psk.
  var preSharedKey: (key: SecretBytes, identifier: [UInt8])?

  /// No more than HPKE takes: its lengths have two octets.
  static let byteLimit = 65_535
  /// As many as a key of 256 bits has (RFC 9180 §9.5).
  static let minimumKeyByteCount = 32

  /// - Throws: ``ErrorCode/callerMisuse`` if the algorithm is not one of HPKE, ``ErrorCode/keyInvalid`` for a
  ///   pre-shared key of another length or without a name, ``ErrorCode/limitExceeded``.
  init(
    info: [UInt8], preSharedKey: (key: SecretBytes, identifier: [UInt8])?, for algorithm: KeyManagementAlgorithm
  ) throws(JOSEError) {
    guard algorithm.row.suite != nil else {
      throw JOSEError(.callerMisuse, "info and pre-shared keys belong to the algorithms of HPKE", name: "alg")
    }
    guard info.count <= Self.byteLimit - Self.reservedByteCount else {
      throw JOSEError(.limitExceeded, "the info of HPKE has 65 000 octets at most", name: "info", fault: .callerMisuse)
    }
    if let preSharedKey {
      guard preSharedKey.key.count >= Self.minimumKeyByteCount, preSharedKey.key.count <= Self.byteLimit else {
        throw JOSEError(
          .keyInvalid, "a pre-shared key has 32 octets or more, and 65 535 at most", name: "psk", fault: .callerMisuse)
      }
      guard !preSharedKey.identifier.isEmpty else {
        throw JOSEError(
          .keyInvalid, "a pre-shared key needs a name of one octet or more", name: "psk_id", fault: .callerMisuse)
      }
      guard preSharedKey.identifier.count <= Limits.default.keyIDByteCount else {
        throw JOSEError.notReadable("the pre-shared key's name is longer than is read", "keyIDByteCount")
      }
    }
    (self.info, self.preSharedKey) = (info, preSharedKey)
  }

  init() {}

  /// What key encryption puts before the caller's info: 14 octets, the longest `enc`, and two separators.
  private static let reservedByteCount = 535

  /// The same for key encryption: `"JOSE-HPKE rcpt" ‖ FF ‖ enc ‖ FF ‖ recipient_extra_info`.
  ///
  /// Source: draft-ietf-jose-hpke-encrypt-22 §6.1.
  func encryptingKey(for contentEncryption: ContentEncryptionAlgorithm) -> HPKEAgreement {
    var agreement = self
    agreement.info =
      Array("JOSE-HPKE rcpt".utf8) + [0xFF] + Array(contentEncryption.name.utf8) + [0xFF] + info
    return agreement
  }

  /// `psk_id`, if the mode is psk.
  var parameters: JSONObject {
    guard let preSharedKey else { return [:] }
    return ["psk_id": .string(Base64URL.encode(preSharedKey.identifier))]
  }

  /// Requires that a message was made in this mode, and with this pre-shared key.
  ///
  /// The caller chooses, and not the message: with a pre-shared key, no sender is heard who doesn't have it.
  /// - Throws: ``ErrorCode/keyMismatch``, ``ErrorCode/headerInvalid``.
  func requireMode(of parameters: JSONObject) throws(JOSEError) {
    let named = try parameters.octets(ifPresent: "psk_id", orThrow: .headerInvalid)
    guard named == preSharedKey?.identifier else {
      throw JOSEError(
        .keyMismatch,
        named == nil
          ? "the message must be one with the pre-shared key that the decryption key has"
          : "the message has a pre-shared key that the decryption key was not given",
        name: "psk_id")
    }
  }
}

extension EncryptionKey {
  /// The same key with what its owner knows beside it, for the algorithms of HPKE.
  ///
  /// - Parameters:
  ///   - info: what messages are for; at most 65 000 octets. With integrated encryption it is the `info` of HPKE, with
  ///     key encryption its `recipient_extra_info`. It is not sent.
  ///   - preSharedKey: 32 octets or more that only both sides have, and what they call them, which is sent as `psk_id`.
  ///     Who opens knows then that the sender has the key as well.
  /// - Throws: ``ErrorCode/callerMisuse`` for another algorithm, ``ErrorCode/keyInvalid``,
  ///   ``ErrorCode/limitExceeded``.
  /// Source: RFC 9180 §5.1.2, draft-ietf-jose-hpke-encrypt-22 §5, §6.1.
  public func sharing(
    info: [UInt8] = [], preSharedKey: (key: SecretBytes, identifier: [UInt8])? = nil
  ) throws(JOSEError) -> EncryptionKey {
    EncryptionKey(
      material, algorithm: algorithm, keyID: keyID,
      agreement: try HPKEAgreement(info: info, preSharedKey: preSharedKey, for: algorithm))
  }
}

extension DecryptionKey {
  /// The same key with what senders know beside its public half, for the algorithms of HPKE.
  ///
  /// With a pre-shared key it opens the messages alone that were made with it.
  /// - Parameters: as of ``EncryptionKey/sharing(info:preSharedKey:)``.
  /// - Throws: as that method.
  public func sharing(
    info: [UInt8] = [], preSharedKey: (key: SecretBytes, identifier: [UInt8])? = nil
  ) throws(JOSEError) -> DecryptionKey {
    DecryptionKey(material, encryptionKey: try encryptionKey.sharing(info: info, preSharedKey: preSharedKey))
  }
}
