import JOSE
import NativeSSOKit
import PlatformSSOKit
import AppleSignInKit
import IdentityTesting
import Testing
import OpenIDKit

/// No rule holds for every store: each is broken by one of some faulty ones, and each of these breaks one.
@Suite struct EveryRuleTests {
  /// The rules that none of the faulty stores breaks; and those stores, by number, that break none.
  private func unbroken<Store: Sendable>(
    _ cases: [StoreCase<Store>], in places: [StorePlaces<Store>]
  ) async -> (rules: Set<String>, stores: [Int]) {
    var (rules, stores): (Set<String>, [Int]) = (Set(cases.map(\.rule)), [])
    for (number, place) in places.enumerated() {
      let findings = await StoreCase.findings(cases, in: place)
      rules = rules.filter { rule in !findings.contains { $0.hasPrefix(rule) } }
      if findings.isEmpty { stores.append(number) }
    }
    return (rules, stores)
  }

  /// Also one that forgets with its connection, and one that all places share.
  private func connections<Store: Sendable>(_ sound: @escaping @Sendable () -> Store) -> [StorePlaces<Store>] {
    let shared = sound()
    return [StorePlaces { _ in sound() }, StorePlaces { _ in shared }]
  }

  @Test func `records`() async {
    let faulty = FaultyRecordStore.Defect.allCases.map { defect in
      StorePlaces<any RecordStore> { FaultyRecordStore(defect) }
    }
    let left = await unbroken(RecordStoreCases.all, in: faulty + connections { MemoryRecordStore() })
    let stores = left.stores.map { FaultyRecordStore.Defect.allCases[$0] }
    #expect(left.rules.isEmpty && stores.isEmpty, "\(left.rules) \(stores)")
  }

  @Test func `secrets`() async {
    let faulty = FaultySecretStore.Defect.all.map { defect in
      StorePlaces<any SecretStore> { FaultySecretStore(defect) }
    }
    let left = await unbroken(SecretStoreCases.all, in: faulty + connections { MemorySecretStore() })
    let stores = left.stores.map { $0 < faulty.count ? "\(FaultySecretStore.Defect.all[$0])" : "connection" }
    #expect(left.rules.isEmpty && stores.isEmpty, "\(left.rules) \(stores)")
  }
}
