/// Bounds on what a message may cost before it is known to be authentic. Lengths are in octets.
///
/// The defaults are generous for real tokens. Adjust single members: every parsing call takes a value of this type, and
/// anything past a limit is refused with ``ErrorCode/limitExceeded`` before expensive work begins.
public struct Limits: Sendable, Hashable {
  /// A whole compact JWT. Default 256 KiB.
  public var tokenByteCount = 256 * 1024
  /// A whole JWS or JWE with an application's payload. Default 8 MiB.
  public var messageByteCount = 8 * 1024 * 1024
  /// All headers of one message together: the protected ones decoded, the unprotected ones as they stand. Also a JWK.
  /// Default 32 KiB, which holds an `x5c` chain of three certificates of ML-DSA-87, the largest there are: 10 KiB each.
  public var headerByteCount = 32 * 1024
  /// Members of all headers of one message together. Default 512.
  package var headerMemberCount = 512
  /// Decoded JWT claims. Default 128 KiB.
  public var claimsByteCount = 128 * 1024
  /// A decoded signature. Default 8 KiB, which holds one of ML-DSA-87: 4627 octets, where RSA has 1024 at most. Each
  /// algorithm's exact length is checked as well.
  public var signatureByteCount = 8 * 1024
  /// A decoded encrypted key, which of HPKE may be an encapsulated one. Default 2 KiB.
  public var encryptedKeyByteCount = 2 * 1024
  /// A JWK Set. Default 1 MiB.
  public var keySetByteCount = 1024 * 1024
  /// Keys in a JWK Set. Default 256.
  public var keySetKeyCount = 256
  /// Keys of a set that are tried for one token, or for one signature or recipient of a message. Default 4. Recipients
  /// without a name are all tried, up to ``recipientCount`` and as far as ``additionalWork`` reaches.
  public var candidateKeyCount = 4
  /// What one message may cost beyond what it needs: one operation with a key, or one for each signature that must be
  /// there, and one way through its octets. Counted are further keys, signatures and recipients, the octets that each
  /// attempt works through, and the iterations of passwords. In units of about a microsecond. Default 13 000. Two more
  /// operations as expensive as the most expensive one are allowed in any case, so that a message costs 20 ms at most,
  /// or three times what an honest one costs with the same key.
  public var additionalWork = 13_000
  /// JSON nesting of a header, a JWK or a JWK Set. Default 8.
  package var headerDepth = 8
  /// JSON nesting of claims. Default 32.
  public var claimsDepth = 32
  /// Members of one JSON object. Default 512.
  public var objectMemberCount = 512
  /// A `kid`. Default 1 KiB.
  package var keyIDByteCount = 1024
  /// Entries of `crit`. Default 16.
  package var criticalCount = 16
  /// The body of a form. Default 64 KiB.
  public var formByteCount = 64 * 1024
  /// Fields of a form. Default 128.
  public var formFieldCount = 128
  /// Certificates in `x5c`. Default 10.
  public var certificateCount = 10
  /// All certificates of a chain that is validated, in DER. Default 64 KiB.
  public var certificateChainByteCount = 64 * 1024

  /// Signatures of one JWS in JSON serialization. Default 16.
  public var signatureCount = 16
  /// Disclosures of one SD-JWT. Default 100.
  public var disclosureCount = 100
  /// One disclosure of an SD-JWT, decoded. Default 4 KiB.
  public var disclosureByteCount = 4 * 1024
  /// A status list, decompressed. Default 16 MiB: 134 million statuses of one bit.
  public var statusListByteCount = 16 * 1024 * 1024
  /// Recipients of one JWE in JSON serialization. Default 16.
  public var recipientCount = 16
  /// The plaintext of a compressed JWE (`zip`). Nil, the default, refuses compression altogether. A compressed text is
  /// at most an eighth, a sixty-fourth and a kibibyte longer, and has no more blocks than a compressor makes.
  public var decompressedByteCount: Int?
  /// The least `p2c` of a password-based JWE. Default 1000, which RFC 7518 §4.8.1.2 recommends as the minimum.
  public var minimumPasswordIterationCount = 1000
  /// The greatest `p2c` of a password-based JWE, read and written. Default 600 000, what OWASP recommends for PBKDF2
  /// with SHA-256. It costs some tenths of a second: lower it where strangers send messages. RFC 8725 bis §3.14 has
  /// receivers accept up to 1 200 000.
  public var maximumPasswordIterationCount = 600_000

  /// The defaults named above.
  public static let `default` = Limits()

  /// Limits with the defaults, to be changed member by member.
  public init() {}

  /// The defaults, but for forms.
  package init(formByteCount: Int = 64 * 1024, formFieldCount: Int = 128) {
    (self.formByteCount, self.formFieldCount) = (formByteCount, formFieldCount)
  }
}
