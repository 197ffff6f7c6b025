import JOSE
import StrictJSON

/// A record store with a defect: a list of rows, in the order of insertion.
actor FaultyRecordStore: RecordStore {
  enum Defect: CaseIterable, Sendable {
    // Rows.
    case inventsRecords, keepsTheGivenVersion, ignoresKinds, cutsKeys, foldsKeys, shortensKeys, trimsKeys, refusesNoKey
    case cutsDocuments, mendsDocuments, shortensDocuments, losesAttempts, roundsDates, losesOldDates
    // Changes.
    case overwrites, insertsOverExpired, replacesBlindly, removesBlindly, makesWhatIsNot, removesWhatIsNot
    case movesCreation, keepsExpiry, keepsDocuments, countsFromZero, neverRemoves, replacesAll, removesAll
    // Commits.
    case makesParts, makesPartsBackwards, namesTheFirst, namesTheRefusalWrong, seesTheOldState, refusesNothing
    case cutsLongCommits, namesTheLast
    // Reasons.
    case indexesBeforeKeys, indexesBeforeVersions, quotaBeforeIndexes, lastIndexFirst
    // Indexes.
    case knowsTheFirstIndex, ignoresNames, foldsNames, foldsValues, cutsValues, returnsSkeletons, newestFirst
    case ordersByWrite, ignoresDates, ignoresLimits, limitsBeforeOrdering, keepsOldIndexes, addsIndexes, findsTheRemoved
    case manyRecordsForOneUnique, neverFreesUnique, freesUniqueTooEarly, uniqueAcrossKinds, uniqueAcrossNames
    case allIndexesUnique, refusesItsOwn, tenValues, normalizesNames, normalizesUniqueNames, normalizesQuotas
    case keepsNormalizedNames, refusesDoubleIndexes, keepsDoubleIndexes, firstUniquenessCounts, lastUniquenessCounts
    case ordersTheFirstHundred, returnsAHundred, movesWhatComesBack
    // Quotas.
    case countsExpired, countsAtTheEnd, quotaOneMore, quotaAcrossKinds, quotaAcrossValues, ignoresQuotas, allowsTheFirst
    // Expiry.
    case hidesExpired, removesAtTheDate, removesAllExpiredSeconds, removesWithoutExpiry, leavesUniqueOfExpired
    case goesByTheFirstExpiry, removesWithoutLimit, countsWrong
    // Concurrency.
    case looksAtThePast, losesTheLast, answersWhenCutOff, makesHalfWhenCutOff, oneQuotaEach
  }

  private struct Row {
    var record: StoredRecord
    var firstExpiry: NumericDate?
    var written: Int
  }

  private let defect: Defect
  private var rows: [Row] = []
  private var past: [Row] = []
  private var removed: [Row] = []
  private var everUnique: Set<StoredRecord.Index> = []
  private var writes = 0

  init(_ defect: Defect) { self.defect = defect }

  // MARK: Reading

  func record(_ kind: StoredRecord.Kind, key: [UInt8]) -> StoredRecord? {
    if let row = rows.first(where: { isSame($0.record, kind, key) }) {
      if defect == .hidesExpired, let end = row.record.expiresAt, end < RecordDates.now { return nil }
      return row.record
    }
    return defect == .inventsRecords
      ? StoredRecord(kind: kind, key: key, createdAt: RecordDates.now, document: [], attempt: []) : nil
  }

  func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) -> [StoredRecord] {
    var found = (rows + removed).filter { ($0.record.kind == kind || defect == .ignoresKinds) && has($0.record, index) }
    if defect == .hidesExpired { found = found.filter { $0.record.expiresAt.map { $0 >= RecordDates.now } ?? true } }
    if defect == .limitsBeforeOrdering { found = Array(found.prefix(limit)) }
    switch defect {
    case .ordersByWrite: found.sort { ($0.record.createdAt, $0.written) < ($1.record.createdAt, $1.written) }
    case .ignoresDates: break
    case .newestFirst:
      found = found.enumerated().sorted { $0.element.record.createdAt > $1.element.record.createdAt }.map(\.element)
    case .ordersTheFirstHundred: found = stable(Array(found.prefix(100))) + found.dropFirst(100)
    default: found = stable(found)
    }
    if defect == .returnsAHundred { found = Array(found.prefix(100)) }
    if defect == .returnsSkeletons { for place in found.indices { found[place].record.document = [] } }
    return (defect == .ignoresLimits ? found : Array(found.prefix(limit))).map(\.record)
  }

  private func stable(_ rows: [Row]) -> [Row] {
    rows.enumerated().sorted { ($0.element.record.createdAt, $0.offset) < ($1.element.record.createdAt, $1.offset) }
      .map(\.element)
  }

  // MARK: Writing

  func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
    if defect == .refusesNothing, changes.isEmpty { return .refused(change: 0, .absent) }
    if defect == .answersWhenCutOff || defect == .makesHalfWhenCutOff {
      for _ in 0..<50 {
        if Task.isCancelled {
          if defect == .answersWhenCutOff { return .done }
          _ = apply(Array(changes.prefix(1)))
          throw CancellationError()
        }
        await Task.yield()
      }
    }
    let before = rows
    if defect == .losesTheLast { rows = past }
    let outcome = apply(defect == .cutsLongCommits ? Array(changes.prefix(100)) : changes)
    if outcome != .done, defect != .makesParts { rows = before }
    past = before
    return outcome
  }

  private func apply(_ changes: [RecordChange]) -> RecordCommit {
    let start = rows
    var last: RecordCommit?
    let order = defect == .makesPartsBackwards ? Array(changes.enumerated().reversed()) : Array(changes.enumerated())
    for (number, change) in order {
      let seen =
        switch defect {
        case .seesTheOldState: start
        case .looksAtThePast: past
        default: rows
        }
      if let refusal = refusal(of: change, seen) {
        let why: RecordCommit.Refusal =
          defect == .namesTheRefusalWrong && refusal == .versionChanged ? .absent : refusal
        last = .refused(change: defect == .namesTheFirst ? 0 : number, why)
        if defect == .namesTheLast { continue }
        return last ?? .done
      }
      make(change)
    }
    return last ?? .done
  }

  private func refusal(of change: RecordChange, _ seen: [Row]) -> RecordCommit.Refusal? {
    switch change {
    case .insert(let record, let quota):
      if defect == .indexesBeforeKeys, let name = takenIndex(of: record, seen) { return .indexTaken(name) }
      if defect == .refusesNoKey, record.key.isEmpty { return .keyTaken }
      if let known = seen.first(where: { isSame($0.record, record.kind, record.key) }), defect != .overwrites {
        let isOver = known.record.expiresAt.map { $0 < RecordDates.now } ?? false
        if defect != .insertsOverExpired || !isOver { return .keyTaken }
      }
      let isOverQuota = quota.map { isUsedUp($0, record.kind, seen) } ?? false
      if defect == .quotaBeforeIndexes, isOverQuota { return .quotaReached }
      if let name = takenIndex(of: record, seen) { return .indexTaken(name) }
      return isOverQuota ? .quotaReached : nil
    case .replace(let record):
      guard let known = seen.first(where: { isSame($0.record, record.kind, record.key) }) else {
        return defect == .makesWhatIsNot ? nil : .absent
      }
      if defect == .indexesBeforeVersions, let name = takenIndex(of: record, seen) { return .indexTaken(name) }
      if known.record.version != record.version, defect != .replacesBlindly { return .versionChanged }
      return takenIndex(of: record, seen).map { .indexTaken($0) }
    case .remove(let kind, let key, let version):
      guard let known = seen.first(where: { isSame($0.record, kind, key) }) else {
        return defect == .removesWhatIsNot ? nil : .absent
      }
      return known.record.version == version || defect == .removesBlindly ? nil : .versionChanged
    }
  }

  private func make(_ change: RecordChange) {
    writes += 1
    switch change {
    case .insert(let given, _):
      var record = kept(given)
      if defect != .keepsTheGivenVersion { record.version = defect == .countsFromZero ? 0 : 1 }
      rows.removeAll { isSame($0.record, record.kind, record.key) }
      if defect == .neverFreesUnique { everUnique.formUnion(record.indexes.filter(\.isUnique)) }
      rows.append(Row(record: record, firstExpiry: record.expiresAt, written: writes))
    case .replace(let given):
      var next = kept(given)
      guard let place = rows.firstIndex(where: { isSame($0.record, given.kind, given.key) }) else {
        if defect == .makesWhatIsNot { rows.append(Row(record: next, written: writes)) }
        return
      }
      let old = rows[place].record
      next = StoredRecord(
        kind: old.kind, key: old.key, version: old.version &+ 1, indexes: next.indexes,
        createdAt: defect == .movesCreation ? next.createdAt : old.createdAt,
        expiresAt: defect == .keepsExpiry ? old.expiresAt : next.expiresAt,
        document: defect == .keepsDocuments ? old.document : next.document, attempt: next.attempt)
      if defect == .keepsOldIndexes { next.indexes = old.indexes }
      if defect == .keepsNormalizedNames, isAlike(old.indexes, next.indexes) { next.indexes = old.indexes }
      if defect == .addsIndexes { next.indexes = Array(Set(old.indexes).union(next.indexes)) }
      if defect == .neverFreesUnique { everUnique.formUnion(next.indexes.filter(\.isUnique)) }
      rows[place] = Row(record: next, firstExpiry: rows[place].firstExpiry, written: writes)
      if defect == .movesWhatComesBack, Set(old.indexes) != Set(next.indexes) { rows.append(rows.remove(at: place)) }
      guard defect == .replacesAll else { return }
      for other in rows.indices { rows[other].record.document = next.document }
    case .remove(let kind, let key, _):
      if defect == .neverRemoves { return }
      if defect == .findsTheRemoved { removed += rows.filter { isSame($0.record, kind, key) } }
      rows.removeAll { defect == .removesAll ? $0.record.kind == kind : isSame($0.record, kind, key) }
    }
  }

  func removeExpired(before date: NumericDate, limit: Int) -> Int {
    var count = 0
    rows = rows.filter { row in
      let end = defect == .goesByTheFirstExpiry ? row.firstExpiry : row.record.expiresAt
      guard let end else { return defect != .removesWithoutExpiry }
      guard count < limit || defect == .removesWithoutLimit else { return true }
      let isOver =
        switch defect {
        case .removesAtTheDate: end <= date
        case .removesAllExpiredSeconds: end.advanced(by: -0.5) < date.advanced(by: -1)
        default: end < date
        }
      if isOver {
        count += 1
        if defect == .leavesUniqueOfExpired { everUnique.formUnion(row.record.indexes.filter(\.isUnique)) }
      }
      return !isOver
    }
    return defect == .countsWrong ? count + 1 : count
  }

  // MARK: Comparing

  private func isSame(_ record: StoredRecord, _ kind: StoredRecord.Kind, _ key: [UInt8]) -> Bool {
    (record.kind == kind || defect == .ignoresKinds) && changed(record.key) == changed(key)
  }

  private func changed(_ key: [UInt8]) -> [UInt8] {
    switch defect {
    case .cutsKeys: Array(key.prefix { $0 != 0 })
    case .foldsKeys: Array(String(decoding: key, as: UTF8.self).lowercased().utf8)
    case .shortensKeys: Array(key.prefix(255))
    case .trimsKeys: Array(key.reversed().drop { $0 == 0x20 }.reversed())
    default: key
    }
  }

  private func kept(_ given: StoredRecord) -> StoredRecord {
    var record = given
    switch defect {
    case .keepsDoubleIndexes: break
    case .firstUniquenessCounts: record.indexes = distinct(record.indexes)
    case .lastUniquenessCounts: record.indexes = distinct(record.indexes.reversed())
    default: record.indexes = record.distinctIndexes
    }
    switch defect {
    case .cutsDocuments: record.document = Array(record.document.prefix { $0 != 0 })
    case .mendsDocuments: record.document = Array(String(decoding: record.document, as: UTF8.self).utf8)
    case .shortensDocuments: record.document = Array(record.document.prefix(65_535))
    case .losesAttempts: record.attempt = []
    case .roundsDates: record.expiresAt = record.expiresAt.map { NumericDate(Int($0.secondsSince1970)) }
    case .losesOldDates:
      record = StoredRecord(
        kind: given.kind, key: given.key, version: given.version, indexes: record.indexes,
        createdAt: max(given.createdAt, NumericDate(0)), expiresAt: given.expiresAt, document: given.document,
        attempt: given.attempt)
    case .tenValues: record.indexes = Array(record.indexes.prefix(10))
    default: break
    }
    return record
  }

  /// Each name and value once, as unique as its first.
  private func distinct(_ indexes: [StoredRecord.Index]) -> [StoredRecord.Index] {
    var seen: Set<StoredRecord.Index> = []
    return indexes.filter { seen.insert(StoredRecord.Index($0.name, $0.value)).inserted }
  }

  /// Whether indexes are the same for one who takes two forms of a name for one.
  private func isAlike(_ some: [StoredRecord.Index], _ others: [StoredRecord.Index]) -> Bool {
    some.count == others.count && zip(some, others).allSatisfy { $0.name == $1.name && $0.value == $1.value }
  }

  private func has(_ record: StoredRecord, _ index: StoredRecord.Index) -> Bool {
    let known = defect == .knowsTheFirstIndex ? Array(record.indexes.prefix(1)) : record.indexes
    return known.contains { other in
      let isNamed: Bool =
        switch defect {
        case .ignoresNames: true
        case .foldsNames: other.name.lowercased() == index.name.lowercased()
        // Swift's == takes both forms of a letter for the same.
        case .normalizesNames: other.name == index.name
        default: WireName(other.name) == index.name
        }
      let isOfValue: Bool =
        switch defect {
        case .foldsValues:
          String(decoding: other.value, as: UTF8.self).lowercased()
            == String(decoding: index.value, as: UTF8.self).lowercased()
        case .cutsValues: other.value.prefix { $0 != 0 } == index.value.prefix { $0 != 0 }
        default: other.value == index.value
        }
      return isNamed && isOfValue
    }
  }

  private func takenIndex(of record: StoredRecord, _ seen: [Row]) -> String? {
    if defect == .manyRecordsForOneUnique { return nil }
    if defect == .refusesDoubleIndexes, distinct(record.indexes).count < record.indexes.count {
      return record.indexes.first?.name
    }
    var indexes = kept(record).indexes
    if defect == .lastIndexFirst { indexes.reverse() }
    for index in indexes where index.isUnique || defect == .allIndexesUnique {
      if everUnique.contains(index) { return index.name }
      let isTaken = seen.contains { row in
        guard row.record.kind == record.kind || defect == .uniqueAcrossKinds else { return false }
        guard defect == .refusesItsOwn || row.record.key != record.key || row.record.kind != record.kind else {
          return false
        }
        if defect == .freesUniqueTooEarly, row.record.version > 1 { return false }
        return row.record.indexes.contains {
          (defect == .uniqueAcrossNames || WireName($0.name) == index.name
            || (defect == .normalizesUniqueNames && $0.name == index.name)) && $0.value == index.value
            && (defect == .allIndexesUnique || $0.isUnique)
        }
      }
      if isTaken { return index.name }
    }
    return nil
  }

  private func isUsedUp(_ quota: RecordQuota, _ kind: StoredRecord.Kind, _ seen: [Row]) -> Bool {
    if defect == .ignoresQuotas || (defect == .oneQuotaEach && quota.limit == 5) { return false }
    if defect == .allowsTheFirst, seen.isEmpty { return false }
    let count = seen.count { row in
      guard row.record.kind == kind || defect == .quotaAcrossKinds else { return false }
      let isAlike = row.record.indexes.contains { $0.name == quota.index.name && $0.value == quota.index.value }
      let isCounted = defect == .quotaAcrossValues || defect == .normalizesQuotas && isAlike
      guard has(row.record, quota.index) || isCounted else { return false }
      guard let end = row.record.expiresAt, defect != .countsExpired else { return true }
      return defect == .countsAtTheEnd ? end >= quota.now : end > quota.now
    }
    return count >= quota.limit + (defect == .quotaOneMore ? 1 : 0)
  }
}

/// The time of the rules.
private enum RecordDates {
  static let now = NumericDate(1_760_000_000)
}
