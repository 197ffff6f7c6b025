import PureCrypto

/// A token or proof that was seen, as a ``ReplayRoom`` keeps it.
struct NotedToken {
  /// Names a token: half of SHA-256 of its maker and its `jti`, so that a long `jti` takes no more room than a short
  /// one.
  struct Name: Hashable {
    let high: UInt64
    let low: UInt64

    init(maker: [UInt8], tokenID: String) {
      // With its length in front, the maker ends where it ends.
      let digest = Array(SHA2.SHA256.hash(Array("\(maker.count).".utf8) + maker + Array(tokenID.utf8)))
      high = digest[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
      low = digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  let name: Name
  let maker: [UInt8]
  /// In which it expires: the next whole one.
  let second: Int64
  /// Where it stands in the queue of all tokens.
  var index = 0
  /// Where it stands in the queue of its maker's tokens.
  var indexOfMaker = 0
}
