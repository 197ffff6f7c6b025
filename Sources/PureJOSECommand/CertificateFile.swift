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
}
