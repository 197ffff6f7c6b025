import OpenIDKit

/// A document kept with a defect.
actor FaultySecretStore: SecretStore {
  enum Defect: Equatable, Sendable {
    case writesBlindly, removesBlindly, replacesWhatIsNotExpected, addsWhatIsNotThere, forgetsRemovals, removesTwice
    case forgetsEmptyOnes, invents, keepsTheLongest, keepsText, cutsLongOnes, mixes
    case countsOctets, versionsRepeat, versionsChange, comparesPrefixes, foldsVersions, refusalsCount
    case looksAtThePast, losesTheLast, answersWhenCutOff, failsAfterTen, changes(TextFault)
    case givesTheFormerVersion, makesVersionsUp, looksAfterWriting

    static let all: [Defect] =
      [
        .writesBlindly, .removesBlindly, .replacesWhatIsNotExpected, .addsWhatIsNotThere, .forgetsRemovals,
        .removesTwice, .forgetsEmptyOnes, .invents, .keepsTheLongest, .keepsText, .cutsLongOnes, .mixes, .countsOctets,
        .versionsRepeat, .versionsChange, .comparesPrefixes, .foldsVersions, .refusalsCount, .looksAtThePast,
        .losesTheLast, .answersWhenCutOff, .failsAfterTen, .givesTheFormerVersion, .makesVersionsUp,
        .looksAfterWriting,
      ] + TextFault.allCases.filter { $0 != .normalizes }.map { .changes($0) }
  }

  struct Busy: Error {}

  private let defect: Defect
  private var document: [UInt8]?
  /// As it was before the last change: what a reader sees who looks too early.
  private var past: [UInt8]?
  private var count: UInt64 = 0
  private var writes = 0

  init(_ defect: Defect) {
    self.defect = defect
    if defect == .invents { document = [] }
  }

  func load() -> StoredSecret? {
    if defect == .versionsChange { count += 1 }
    guard let document else { return nil }
    guard defect == .mixes, let past, past.count > 2, document.count > 2 else {
      return StoredSecret(document: document, version: version)
    }
    return StoredSecret(document: Array(past[..<2]) + Array(document[2...]), version: version)
  }

  func replace(expecting expected: [UInt8]?, with new: [UInt8]?) async throws -> [UInt8]? {
    if defect == .answersWhenCutOff {
      for _ in 0..<50 {
        if Task.isCancelled { return version }
        await Task.yield()
      }
    }
    writes += 1
    if defect == .failsAfterTen, writes > 10 { throw Busy() }
    guard isExpected(expected, new) else {
      if defect == .refusalsCount { count += 1 }
      return nil
    }
    let (former, formerVersion) = (document, version)
    switch (defect, new) {
    case (.forgetsRemovals, nil): break
    case (.forgetsEmptyOnes, []): document = nil
    case (.keepsTheLongest, let new?): document = new + (document ?? []).dropFirst(new.count)
    case (.keepsText, let new?): document = Array(String(decoding: new, as: UTF8.self).utf8)
    case (.cutsLongOnes, let new?): document = Array(new.prefix(65_536))
    case (.changes(let fault), let new?):
      document = String(validating: new, as: UTF8.self).map { Array(fault.change($0).utf8) } ?? new
    case (.losesTheLast, _): document = writes.isMultiple(of: 6) ? document : new
    default: document = new
    }
    past = former
    count = defect == .versionsRepeat ? (count + 1) % 3 : count + 1
    switch defect {
    case .givesTheFormerVersion: return formerVersion
    case .makesVersionsUp: return Array("\(writes)".utf8)
    case .looksAfterWriting:
      // Meanwhile others write.
      for _ in 0..<10 { await Task.yield() }
      return version
    default: return version
    }
  }

  private func isExpected(_ expected: [UInt8]?, _ new: [UInt8]?) -> Bool {
    let current = (defect == .looksAtThePast ? past : document) == nil ? nil : version
    switch defect {
    case .writesBlindly: return true
    case .removesBlindly where new == nil: return true
    case .replacesWhatIsNotExpected where expected == nil: return true
    case .addsWhatIsNotThere where document == nil: return true
    case .removesTwice where document == nil && new == nil: return true
    case .comparesPrefixes: return expected.map { (current ?? []).starts(with: $0) } ?? (current == nil)
    case .foldsVersions: return expected?.map { $0 | 0x20 } == current?.map { $0 | 0x20 }
    default: return expected == current
    }
  }

  private var version: [UInt8] {
    defect == .countsOctets ? Array("\(document?.count ?? 0)".utf8) : withUnsafeBytes(of: count) { Array($0) }
  }
}
