import Foundation
import PureJOSEBenchmarking

/// A backend of PureJOSE for x86-64, and what a peer does without so that both compute with the same instructions.
///
/// BoringSSL and OpenSSL take extensions away that the environment variable `OPENSSL_ia32cap` names, and read it once,
/// at their first use. Those of AES, PCLMULQDQ, SHA and AVX stay in every class, so that beside `portable` the peer
/// has more.
enum InstructionClass: String, CaseIterable {
  case portable, aesni, avx2, avx2vaes, avx512, avx512ifma

  private static let variable = "OPENSSL_ia32cap"

  private static let allOfAVX512: Set<ProcessorExtension> = [
    .avx512f, .avx512dq, .avx512ifma, .avx512cd, .avx512bw, .avx512vl,
  ]

  /// What the peer does without.
  var withheld: Set<ProcessorExtension> {
    switch self {
    case .portable, .aesni: Set(ProcessorExtension.allCases)
    case .avx2: Self.allOfAVX512.union([.vaes, .vpclmulqdq])
    case .avx2vaes: Self.allOfAVX512
    case .avx512: [.avx512ifma]
    case .avx512ifma: []
    }
  }

  /// What the processor must have, in the spelling of /proc/cpuinfo. PureJOSE would take another backend without it.
  private var needed: Set<String> {
    switch self {
    case .portable: []
    case .aesni: ["aes", "pclmulqdq"]
    case .avx2: InstructionClass.aesni.needed.union(["avx2", "bmi1", "bmi2"])
    case .avx2vaes: InstructionClass.avx2.needed.union(["vaes", "vpclmulqdq"])
    case .avx512: InstructionClass.avx2vaes.needed.union(["avx512f"])
    case .avx512ifma: InstructionClass.avx512.needed.union(["avx512ifma"])
    }
  }

  /// The second of two values, the first of which is empty and changes nothing; `~` takes away.
  private var setting: String { String(format: ":~0x%016llX", withheld.reduce(0) { $0 | $1.bit }) }

  /// Another class, for a check that has to notice it.
  var wrong: InstructionClass { self == .avx512ifma ? .avx512 : .avx512ifma }

  /// Holds peers in this process, and in those that it starts, to the class. Has to come before their first use.
  func hold() { setenv(Self.variable, setting, 1) }

  /// Makes sure that the processor has what the class needs.
  func require(of machine: Machine) throws(UsageError) {
    let missing = needed.subtracting(machine.extensions)
    guard missing.isEmpty else {
      throw UsageError("this processor has no \(missing.sorted().joined(separator: ", ")), which \(rawValue) needs")
    }
  }

  /// Makes sure that a peer has what the machine has, without what the class withholds.
  /// - Parameter word: as ``ProcessorExtension/bit`` describes it, from the peer itself.
  /// - Returns: the peer's extensions, to show.
  @discardableResult
  func check(_ word: UInt64, of peer: String, on machine: Machine) throws(WrongClass) -> String {
    let taken = ProcessorExtension.all(in: word)
    let expected = Set(machine.extensions.compactMap(ProcessorExtension.init)).subtracting(withheld)
    let surplus = taken.intersection(withheld)
    let lost = expected.subtracting(taken)
    guard surplus.isEmpty, lost.isEmpty else {
      throw WrongClass(peer: peer, wanted: self, surplus: surplus, lost: lost)
    }
    return taken.isEmpty ? "none of them" : Self.text(taken)
  }

  static func text(_ extensions: Set<ProcessorExtension>) -> String {
    extensions.map(\.rawValue).sorted().joined(separator: " ")
  }
}

/// A peer computes with other instructions than it is held to.
struct WrongClass: Error, CustomStringConvertible {
  let peer: String
  let wanted: InstructionClass
  let surplus, lost: Set<ProcessorExtension>

  var description: String {
    let parts = [("has", surplus), ("lacks", lost)].filter { !$0.1.isEmpty }
    let differences = parts.map { "\($0.0) \(InstructionClass.text($0.1))" }.joined(separator: " and ")
    return "\(peer) is not held to \(wanted.rawValue): it \(differences)"
  }
}
