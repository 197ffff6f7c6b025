import PureCrypto

extension PEMBlock {
  /// The certificates of a text, at least one, in DER. Text around them is skipped, and other blocks are refused.
  package static func certificates(_ text: String, maximumCount: Int) throws(JOSEError) -> [[UInt8]] {
    do throws(CryptoError) {
      let blocks = try PEMBlock.all(text, label: .certificate, maximumCount: maximumCount)
      return blocks.map { block in block.contents.unwipedOctets }
    } catch {
      guard error.code != .lengthLimitExceeded else {
        throw JOSEError(.limitExceeded, "too many certificates", name: "certificateCount")
      }
      throw JOSEError(.malformed, error.text, name: "x5c")
    }
  }
}
