import PureCrypto

/// Proofs of one kind, by the second in which they expire.
struct DPoPReplayRoom {
  /// Names a proof: half of SHA-256 of thumbprint and `jti`, so that a long `jti` takes no more room than a short one.
  private struct Name: Hashable {
    let high: UInt64
    let low: UInt64

    init(_ entry: DPoPReplayEntry) {
      // A thumbprint has no dot.
      let digest = Array(SHA2.SHA256.hash(Array("\(entry.thumbprint).\(entry.tokenID)".utf8)))
      high = digest[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
      low = digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  private struct Noted {
    let name: Name
    let key: [UInt8]
  }

  private let capacity: Int
  private let quota: Int
  /// The second in which each proof expires: the next whole one.
  private var expiries: [Name: Int64] = [:]
  /// A proof lives for a minute or so, so there are few seconds.
  private var proofs: [Int64: [Noted]] = [:]
  private var countOfKey: [[UInt8]: Int] = [:]
  /// What expires in this second or before may have been forgotten.
  private var forgotten = Int64.min
  /// The second in which expired proofs were last swept out.
  private var swept = Int64.min

  init(capacity: Int, quota: Int) {
    self.capacity = capacity
    self.quota = quota
  }

  mutating func record(_ entry: DPoPReplayEntry, now: NumericDate) -> DPoPReplayVerdict {
    // Dates have magnitude 2⁵³ at most.
    let present = Int64(now.secondsSince1970.rounded(.down))
    if present != swept {
      for second in proofs.keys.filter({ $0 < present }) { forget(second) }
      swept = present
    }
    let name = Name(entry)
    guard expiries[name] == nil else { return .seen }
    let second = Int64(entry.expiry.secondsSince1970.rounded(.up))
    let key = Array(entry.thumbprint.utf8)
    guard countOfKey[key, default: 0] < quota else { return .quotaReached }
    if expiries.count >= capacity, let earliest = proofs.keys.min(), earliest < second {
      forget(earliest)
      forgotten = max(forgotten, earliest)
    }
    guard expiries.count < capacity, second > forgotten else { return .storeFull }
    expiries[name] = second
    proofs[second, default: []].append(Noted(name: name, key: key))
    countOfKey[key, default: 0] += 1
    return .new
  }

  /// Gives up all proofs that expire in one second.
  private mutating func forget(_ second: Int64) {
    for proof in proofs.removeValue(forKey: second) ?? [] {
      expiries[proof.name] = nil
      let count = countOfKey[proof.key, default: 0] - 1
      countOfKey[proof.key] = count > 0 ? count : nil
    }
  }
}
