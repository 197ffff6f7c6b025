/// Copies that are not wiped, for secrets that leave as an array or a text anyway: into a file or a message. They spare
/// the modules above pointers of their own.
extension SecretBytes {
  /// The bytes, in an array that is not wiped.
  package var unwipedOctets: [UInt8] { withUnsafeBytes { Array($0) } }

  /// The bytes as UTF-8 text, which is not wiped.
  package var unwipedText: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
