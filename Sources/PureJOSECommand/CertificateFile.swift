import JOSE
import PureCrypto

/// Certificates in files: blocks of PEM with any text around them, or one certificate in DER.
enum CertificateFile {
  /// Far more than systems trust.
  private static let maximumCount = 1024

  /// The certificates in the order of the file, in DER.
  ///
  /// Text around blocks may be in any encoding: what is no UTF-8 is replaced, and skipped.
  static func certificates(in octets: [UInt8]) throws(JOSEError) -> [[UInt8]] {
    guard !octets.isOneDERSequence else { return [octets] }
    return try PEMBlock.certificates(String(decoding: octets, as: UTF8.self), maximumCount: maximumCount)
  }
}

extension [UInt8] {
  /// Whether these octets are DER of one sequence and nothing else, as every key and certificate in DER is. Text is
  /// not: what begins with a 0 would have to say its own length in the next octets.
  var isOneDERSequence: Bool {
    unsafe withUnsafeBytes { bytes in
      var reader = unsafe DERReader(bytes)
      return unsafe (try? reader.read(.sequence)) != nil && reader.bytes.isEmpty
    }
  }

  /// Whether these octets are a PFX of PKCS#12: a sequence that begins with the number 3 and another sequence (RFC 7292
  /// §4). Keys and certificates begin otherwise.
  var isPKCS12: Bool {
    guard isOneDERSequence, count > 2 else { return false }
    // The length of a length above 127 is in the second octet.
    return dropFirst(self[1] < 0x80 ? 2 : 2 + Int(self[1] & 0x7F)).starts(with: [0x02, 0x01, 0x03, 0x30])
  }
}
