import Foundation
import GRDBStores
import IdentityTesting
import JOSE
import OpenIDKit

/// One process of a provider: redeems refresh tokens of its own logins, and competes with the other process for things
/// that may be used only once.
struct Worker {
  private let folder: String
  private let name: String
  private let logins: Int
  private let database: ProviderDatabase
  private let service: RefreshTokenService

  private static let rounds = 1_000_000

  init(folder: String, name: String, logins: Int) throws {
    self.folder = folder
    self.name = name
    self.logins = logins
    database = try ProviderDatabase(path: folder + "/state.sqlite")
    var policy = RotationPolicy()
    policy.grace = .seconds(60)
    policy.maximumReplays = 10
    policy.maximumFamiliesPerUserAndClient = 1000
    service = try RefreshTokenService(
      policy: policy, format: RefreshTokenFormat(key: [UInt8](repeating: 7, count: 32)), sessions: EndlessSessions(),
      records: database.records)
  }

  private var journalPath: String { folder + "/" + name + ".journal" }

  // MARK: Work

  /// Begins the logins, once.
  func prepare() async throws {
    let journal = try Journal(path: journalPath)
    for login in 0..<logins {
      let issued = try await service.issue(RefreshGrant(subject: "\(name)-\(login)", clientID: name, scope: ["openid"]))
      try journal.note("got", "\(login)", issued.refreshToken, "1")
    }
    // The other process may have been faster.
    _ = try await database.records.commit([.insert(try counter(0, version: 0))])
  }

  /// Works until it is killed.
  func work() async throws {
    var tokens = try lastTokens().mapValues(\.token)
    let journal = try Journal(path: journalPath)
    for round in try nextRound()..<Self.rounds {
      for login in 0..<logins {
        guard let token = tokens[login] else { throw CocoaError(.coderValueNotFound) }
        try journal.note("try", "\(login)")
        let result = try await service.redeem(RefreshRedemption(refreshToken: token, clientID: name)) { $0.generation }
        try journal.note("got", "\(login)", result.refreshToken, "\(result.artefacts)")
        tokens[login] = result.refreshToken
      }
      try await compete(round, journal)
    }
  }

  /// Uses things that may be used only once by both processes, and before and after a restart.
  private func compete(_ round: Int, _ journal: Journal) async throws {
    let now = WallClock.system.now
    let waiting = try record("waiting", round, now)
    _ = try await database.records.commit([.insert(waiting)])
    // A late process finds nothing, or a record that it has inserted again itself.
    if try await database.records.commit([.insert(try record("event", round, now))]) == .done {
      try journal.note("event", "\(round)")
    }
    // With a quota, which counts the rows of one maker.
    let proof = try record("proof", round, now)
    let quota = RecordQuota(proof.indexes[0], limit: 1_000_000, now: now)
    if try await database.records.commit([.insert(proof, atMost: quota)]) == .done {
      try journal.note("proof", "\(round)")
    }
    try journal.note("use")
    try await count()
    try journal.note("used")
    _ = try await database.records.commit([.remove(waiting.kind, key: waiting.key, version: 1)])
    try journal.note("round", "\(round)")
  }

  /// Increments the counter of both processes.
  private func count() async throws {
    while true {
      let empty = try counter(0, version: 0)
      guard let stored = try await database.records.record(empty.kind, key: empty.key),
        let uses = Int(String(decoding: stored.document, as: UTF8.self))
      else { throw CocoaError(.coderValueNotFound) }
      let next = try counter(uses + 1, version: stored.version)
      if try await database.records.commit([.replace(next)]) == .done { return }
    }
  }

  private func counter(_ uses: Int, version: UInt64) throws -> StoredRecord {
    var counter = try record("counter", 0, WallClock.system.now)
    (counter.version, counter.document) = (version, Array("\(uses)".utf8))
    return counter
  }

  private func record(_ what: String, _ round: Int, _ now: NumericDate) throws -> StoredRecord {
    guard let kind = StoredRecord.Kind(application: what) else { throw CocoaError(.coderValueNotFound) }
    return StoredRecord(
      kind: kind, key: Array("\(round)".utf8), indexes: [.init("maker", Array("\(round % 7)".utf8))], createdAt: now,
      expiresAt: now.advanced(by: .seconds(86_400)), document: [], attempt: [])
  }

  /// The round after the last one that earlier runs of this process have finished.
  private func nextRound() throws -> Int {
    let finished = try Journal.lines(path: journalPath).last { $0.first == "round" }
    return (finished.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? -1) + 1
  }

  /// The last token of each login that a process was given, and its generation.
  private func lastTokens() throws -> [Int: (token: String, generation: UInt64)] {
    var tokens: [Int: (token: String, generation: UInt64)] = [:]
    for words in try Journal.lines(path: journalPath) where words.first == "got" && words.count == 4 {
      guard let login = Int(words[1]), let generation = UInt64(words[3]) else { continue }
      tokens[login] = (String(words[2]), generation)
    }
    return tokens
  }

  // MARK: Checking the result

  /// Checks the database after both processes were killed, and returns the faults.
  func verify() async throws -> [String] {
    var findings: [String] = []
    let integrity = try await database.integrityCheck()
    if integrity != ["ok"] { findings.append("integrity_check: \(integrity)") }
    let journals = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".journal") }
    let lines = try journals.flatMap { try Journal.lines(path: folder + "/" + $0) }
    for what in ["event", "proof"] {
      let numbers = lines.filter { $0.first.map { String($0) } == what && $0.count == 2 }.map { $0[1] }
      if Set(numbers).count != numbers.count { findings.append("one \(what) was accepted twice") }
    }
    let (begun, done) = (lines.count { $0.first == "use" }, lines.count { $0.first == "used" })
    let empty = try counter(0, version: 0)
    let document = try await database.records.record(empty.kind, key: empty.key)?.document ?? []
    let counted = Int(String(decoding: document, as: UTF8.self)) ?? -1
    if !(done...max(done, begun)).contains(counted) {
      findings.append("\(counted) uses are counted; \(begun) were begun and \(done) done")
    }
    for (login, last) in try lastTokens() { findings += try await verify(login, last.token, last.generation) }
    return findings
  }

  /// A login has one family. Its generation is that of the last token in the journal, or one more if the process was
  /// killed in between: then the grace period accepts that token. Either way this token is valid, and no other one is.
  private func verify(_ login: Int, _ token: String, _ generation: UInt64) async throws -> [String] {
    let families = try await service.logins(.subject("\(name)-\(login)"))
    guard families.count == 1, let family = families.first else {
      return ["login \(login) has \(families.count) active families, expected 1"]
    }
    var findings: [String] = []
    if family.generation != generation, family.generation != generation + 1 {
      findings.append("login \(login) is at generation \(family.generation), its last token is of \(generation)")
    }
    do {
      _ = try await service.check(RefreshRedemption(refreshToken: token, clientID: name))
    } catch {
      findings.append("login \(login) is lost: \(error)")
    }
    return findings
  }
}
