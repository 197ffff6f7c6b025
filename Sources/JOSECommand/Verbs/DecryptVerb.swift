import JOSE

struct DecryptVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["key", "alg"])
    try arguments.requireNoOperands()
    let file = try KeyFile.read(arguments, console)
    let token = try console.readToken()
    let accepted = ContentEncryptionAlgorithm.allCases
    switch file {
    case .key(let jwk):
      let algorithm = try arguments.keyManagementAlgorithm(for: jwk)
      let opened = try attempt { () throws(JOSEError) in
        try JWE.decrypt(token, with: DecryptionKey(jwk, algorithm: algorithm), contentEncryption: accepted)
      }
      console.write(opened.plaintext)
    case .set(let keys):
      guard arguments["alg"] == nil else { throw .usage("--alg goes with a single key") }
      let opened = try attempt { () throws(JOSEError) in
        try JWE.decrypt(
          token, with: keys, keyManagement: KeyManagementAlgorithm.allCases.filter { !$0.usesPassword },
          contentEncryption: accepted)
      }
      console.write(opened.plaintext)
    }
  }
}
