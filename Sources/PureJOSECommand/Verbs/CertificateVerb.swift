import JOSE
import PureCrypto

/// Chains of certificates: `jose certificate verify`.
struct CertificateVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    guard arguments.first == "verify" else {
      throw .unknownWord(arguments.first, after: "certificate", among: ["verify"])
    }
    let arguments = try Arguments(
      Array(arguments.dropFirst()), options: ["at", "purpose", "eku"], repeatable: ["root"])
    try arguments.requireNoOperands()
    let trust = try trust(arguments)
    let input = try console.readInput()
    guard let text = String(validating: input, as: UTF8.self) else {
      throw .invalid("malformed(x5c): the chain is not PEM")
    }
    let key = try attempt { try trust.validate(pemRepresentation: text).publicKey.serialized() }
    console.write(key + [0x0A])
  }

  private func trust(_ arguments: Arguments) throws(CommandFailure) -> CertificateTrust {
    _ = try arguments.required("root")
    var roots: [[UInt8]] = []
    for path in arguments.values("root") { roots += try Self.certificates(try console.readFile(path), path) }
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
    do throws(JOSEError) {
      var trust = try CertificateTrust(roots: roots, purpose: purpose, clock: clock)
      trust.extendedKeyUsage = arguments["eku"]
      guard arguments["eku"].map({ DERObjectIdentifier($0) != nil }) ?? true else {
        throw JOSEError(.callerMisuse, "not an object identifier", name: "eku")
      }
      return trust
    } catch {
      // A root that is not one is a mistake of who calls, not of who sent the chain.
      throw .usage("--root, --eku: \(error)")
    }
  }

  /// The certificates of a file: blocks of PEM, or one certificate in DER.
  private static func certificates(_ octets: [UInt8], _ path: String) throws(CommandFailure) -> [[UInt8]] {
    guard !octets.isOneDERSequence else { return [octets] }
    guard let text = String(validating: octets, as: UTF8.self),
      let blocks = try? PEMBlock.all(text, label: .certificate, maximumCount: 1024)
    else { throw .usage("the file \(path) holds no certificates") }
    return blocks.map { block in block.contents.withUnsafeBytes { Array($0) } }
  }
}

extension [UInt8] {
  /// Whether these octets are DER of one sequence and nothing else, as every key and certificate in DER is. Text is
  /// not: what begins with a 0 would have to say its own length in the next octets.
  var isOneDERSequence: Bool {
    withUnsafeBytes { bytes in
      var reader = DERReader(bytes)
      return (try? reader.read(.sequence)) != nil && reader.bytes.isEmpty
    }
  }
}
