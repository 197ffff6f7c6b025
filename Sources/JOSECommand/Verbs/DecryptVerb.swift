import JOSE

struct DecryptVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["key"])
    try arguments.requireNoOperands()
    let file = try KeyFile.read(arguments, console)
    let token = try console.readToken()
    let opened = try attempt { () throws(JOSEError) in
      let accepted = ContentEncryptionAlgorithm.allCases
      switch file {
      case .key(let jwk):
        let key = try DecryptionKey(jwk, algorithm: jwk.keyManagementAlgorithmIfUnnamed)
        return try JWE.decrypt(token, with: key, contentEncryption: accepted)
      case .set(let keys):
        return try JWE.decrypt(
          token, with: keys, keyManagement: KeyManagementAlgorithm.allCases, contentEncryption: accepted)
      }
    }
    console.write(opened.plaintext)
  }
}
