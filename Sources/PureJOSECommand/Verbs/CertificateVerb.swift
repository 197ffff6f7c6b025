import JOSE
import PureCrypto

/// Chains of certificates: `jose certificate verify` and `jose certificate explain`.
struct CertificateVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "verify": try verify(rest)
    case "explain": try explain(rest)
    case let other: throw .unknownWord(other, after: "certificate", among: ["verify", "explain"])
    }
  }

  private static func options(_ arguments: [String]) throws(CommandFailure) -> Arguments {
    let arguments = try Arguments(arguments, options: ["at", "purpose", "eku"], repeatable: ["root"])
    try arguments.requireAtMostOneOperand()
    return arguments
  }

  /// Shows why a chain is accepted or refused, whatever is wrong with it.
  private func explain(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Self.options(arguments)
    let trust = try trust(arguments)
    let input = try console.input(of: arguments)
    let certificates = try attempt { try CertificateFile.certificates(in: input) }
    let explanation = trust.explain(certificates)
    console.write(HelpLayout.folded(explanation.description) + "\n")
    if let refusal = explanation.refusals.first { throw CommandFailure(refusal) }
  }

  private func verify(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Self.options(arguments)
    let trust = try trust(arguments)
    let input = try console.input(of: arguments)
    let key = try attempt { try trust.validate(CertificateFile.certificates(in: input)).publicKey.serialized() }
    console.write(key + [0x0A])
  }

  private func trust(_ arguments: Arguments) throws(CommandFailure) -> CertificateTrust {
    _ = try arguments.required("root")
    var roots: [[UInt8]] = []
    for path in arguments.values("root") { roots += try rootCertificates(at: path) }
    let purpose: CertificateTrust.Purpose
    switch arguments["purpose"] ?? "any" {
    case "any": purpose = .any
    case "sign": purpose = .signature
    case "attestation": purpose = .attestation
    default: throw .usage("--purpose is any, sign or attestation")
    }
    var clock = WallClock.system
    if let text = arguments["at"] {
      guard let seconds = Int(text) else { throw .usage("--at is a number of seconds since 1970") }
      clock = .fixed(at: NumericDate(seconds))
    }
    guard arguments["eku"].map({ DERObjectIdentifier($0) != nil }) ?? true else {
      throw .usage("--eku is an object identifier, as 1.3.6.1.5.5.7.3.8")
    }
    do throws(JOSEError) {
      var trust = try CertificateTrust(roots: roots, purpose: purpose, clock: clock)
      for refusal in trust.unusableRoots { console.writeError("jose: a root is left out: \(refusal)") }
      trust.extendedKeyUsage = arguments["eku"]
      return trust
    } catch {
      // A root that is not one is a mistake of who calls, not of who sent the chain.
      throw .usage("--root: \(error)")
    }
  }

  private func rootCertificates(at path: String) throws(CommandFailure) -> [[UInt8]] {
    let octets = try console.file(path, upTo: .file)
    do throws(JOSEError) {
      return try CertificateFile.certificates(in: octets)
    } catch {
      throw .usage("the file \(Visible.argument(path)) holds no certificates: \(error)")
    }
  }
}
