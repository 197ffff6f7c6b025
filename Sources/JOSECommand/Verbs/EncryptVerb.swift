import JOSE

struct EncryptVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["key", "alg", "enc", "apu", "apv"])
    try arguments.requireNoOperands()
    var contentEncryption: ContentEncryptionAlgorithm?
    if let name = arguments["enc"] {
      contentEncryption = ContentEncryptionAlgorithm(name: name)
      guard contentEncryption != nil else { throw .usage("the content encryption algorithm is not implemented") }
    }
    let partyUInfo = try partyInfo("apu", arguments)
    let partyVInfo = try partyInfo("apv", arguments)
    let jwk = try KeyFile.read(arguments, console).singleKey()
    let algorithm = try arguments.keyManagementAlgorithm(for: jwk)
    let plaintext = try console.readInput()
    let token = try attempt { () throws(JOSEError) in
      let key = try EncryptionKey(jwk, algorithm: algorithm)
      return try JWE.encrypt(
        plaintext, to: key, contentEncryption: contentEncryption, agreementPartyUInfo: partyUInfo,
        agreementPartyVInfo: partyVInfo)
    }
    console.write(token + "\n")
  }

  private func partyInfo(_ name: String, _ arguments: Arguments) throws(CommandFailure) -> AgreementPartyInfo {
    guard let text = arguments[name] else { return .absent }
    guard let octets = try? Base64URL.decode(text) else { throw .usage("--\(name) is not base64url") }
    return .octets(octets)
  }
}
