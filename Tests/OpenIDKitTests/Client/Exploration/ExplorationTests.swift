import Foundation
import JOSE
import Testing

@testable import OpenIDKit

/// Every order of events and every fault of store, server, keys and clock, up to a depth, each then played to its end.
///
/// The depth is small enough for a few seconds in a debug build. `PUREJOSE_EXPLORATION_DEPTH=8 swift test --filter
/// Exploration` takes the millions of ways of the long form.
@Suite struct ExplorationTests {
  static var depth: Int {
    ProcessInfo.processInfo.environment["PUREJOSE_EXPLORATION_DEPTH"].flatMap { Int($0) } ?? 6
  }

  struct Finding {
    var ways = 0
    var violations: [String] = []
  }

  private func explore(_ world: ExploredWorld, _ depth: Int, _ path: [ExploredWorld.Choice], _ finding: inout Finding) {
    let choices = depth > 0 ? world.choices : []
    guard !choices.isEmpty else {
      var world = world
      world.settle()
      finding.ways += 1
      if finding.violations.count < 20 { finding.violations += world.violations.map { "\($0): \(Self.text(path))" } }
      return
    }
    for choice in choices {
      var next = world
      next.take(choice)
      explore(next, depth - 1, path + [choice], &finding)
    }
  }

  private static func text(_ path: [ExploredWorld.Choice]) -> String {
    path.map { "\($0)".replacing("OpenIDKitTests.ExploredWorld.", with: "") }.joined(separator: ", ")
  }

  /// Where exploring begins: at the start, when the store has been read, when the rotation has been announced, when
  /// the request is on its way, when its answer is about to be stored, and when its ID token is about to be checked.
  ///
  /// - Parameter verdicts: none are needed until something is checked.
  static func beginnings(
    _ alphabet: ExploredWorld.Alphabet, _ planted: ExploredWorld.PlantedFault? = nil,
    verdicts: ExploredVerdicts = ExploredVerdicts()
  ) -> [ExploredWorld] {
    var world = ExploredWorld(planted: planted, alphabet: alphabet, verdicts: verdicts)
    world.take(.call)
    var beginnings = [world]
    for _ in 0..<(alphabet == .storage ? 4 : 5) {
      world.take(.effect(0, .good))
      beginnings.append(world)
    }
    // What comes before is explored with the other alphabet.
    return alphabet == .storage ? beginnings : Array(beginnings.suffix(3))
  }

  static let places = ExploredWorld.Alphabet.allCases.flatMap { alphabet in
    beginnings(alphabet).indices.map { (alphabet, $0) }
  }

  @Test(arguments: places) func `no login is lost, no token used twice, no call answered for somebody else`(
    alphabet: ExploredWorld.Alphabet, beginning: Int
  ) async throws {
    let beginnings = Self.beginnings(alphabet, verdicts: try await .judged())
    var finding = Finding()
    explore(beginnings[beginning], Self.depth, [], &finding)
    #expect(finding.violations.isEmpty, "\(finding.violations.prefix(3))")
    #expect(finding.ways > 300)
  }

  @Test(arguments: ExploredWorld.PlantedFault.allCases) func `exploring finds what is planted`(
    fault: ExploredWorld.PlantedFault
  ) async throws {
    let beginnings = Self.beginnings(fault.alphabet, fault, verdicts: try await .judged())
    var finding = Finding()
    for beginning in beginnings { explore(beginning, 2, [], &finding) }
    #expect(!finding.violations.isEmpty)
  }

  @Test func `the check says of each ID token what exploring takes it for`() async throws {
    let verdicts = try await ExploredVerdicts.judged()
    for token in ExploredVerdicts.Token.allCases {
      let expected: (early: IDTokenVerdict, late: IDTokenVerdict) =
        switch token {
        case .renewed, .withNull: (.good, .good)
        case .forged, .withoutParty: (.bad, .bad)
        case .newKey: (.couldNotLook(.keys), .good)
        }
      #expect(verdicts.verdict(on: token, isLate: false) == expected.early, "\(token)")
      #expect(verdicts.verdict(on: token, isLate: true) == expected.late, "\(token)")
    }
  }
}
