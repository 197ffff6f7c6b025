/// A member of a vector file that the runner doesn't read.
///
/// A strict runner fails the file for it: the writer of vectors learns of each slip of the pen. Another one notes it,
/// since a newer file may say more; but where the member may decide what the test means, the test is not run.
enum UnreadMember {
  /// Names that formats of vectors give to inputs and to choices between algorithms, in small letters.
  private static let deciding: Set<String> = [
    "aad", "ad", "additionalrandomness", "alg", "apu", "apv", "b64", "context", "crit", "ctx", "curve", "curvename",
    "deterministic", "dkm", "ek", "dk", "enc", "encoding", "externalmu", "format", "hash", "hashalg", "info", "input",
    "iterationcount", "iv", "ivsize", "key", "keysize", "label", "m", "mgf", "mgfsha", "mode", "msg", "message", "mu",
    "nonce", "operation", "padding", "parameterset", "pk", "prehash", "rnd", "salt", "saltlength", "seed", "sha",
    "signatureinterface", "sk", "slen", "tagsize", "tweak", "z", "zip",
  ]

  static func decides(_ name: String) -> Bool {
    let last = name.utf8.split(separator: 0x2E).last.map { String(decoding: $0, as: UTF8.self) } ?? name
    return deciding.contains(last.lowercased())
  }
}
