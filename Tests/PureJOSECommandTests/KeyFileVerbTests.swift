import Foundation
import JOSE
import Testing

@testable import PureJOSECommand

/// `jose key` with files of others, and files that it writes.
@Suite("The jose command: key files")
struct KeyFileVerbTests {
  private let key = JWK.generate(.es256)

  private func privatePEM() throws -> String { try #require(key.privatePEMRepresentation) }

  private func der(_ pem: String) throws -> [UInt8] {
    try Base64.decode(pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined())
  }

  @Test(
    "an imported key gets only an algorithm that it fits",
    arguments: [
      ("ES256", 0), ("ECDH-ES", 0), ("ECDH-ES+A128KW", 0), ("none", 2), ("ES257", 2), ("es256", 2), ("ES384", 1),
      ("ES256K", 1), ("RS256", 1), ("HS256", 1), ("Ed25519", 1), ("dir", 1), ("A128KW", 1), ("RSA-OAEP", 1),
      ("PBES2-HS256+A128KW", 1),
    ])
  func algorithm(_ name: String, _ status: Int32) throws {
    for text in [try privatePEM(), try #require(key.publicPEMRepresentation)] {
      let run = CommandRun(["key", "import", "--alg", name, "--kid", "k"], input: text)
      #expect(run.status.rawValue == status, "\(run.errors)")
      if status == 0 {
        let read = try JWK(parsing: run.text)
        #expect(read.algorithm == name && read.keyID == "k")
      } else {
        #expect(run.output.isEmpty && run.errors.count == 1)
      }
    }
  }

  @Test("DER is told from PEM by its octets, also where it is UTF-8 throughout")
  func derThatIsText() throws {
    // An Ed25519 key whose octets are all ASCII, and OCTET STRINGs and lengths that are as well.
    let octets: [UInt8] =
      [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20] + [UInt8](repeating: 0x41, count: 32)
    #expect(String(validating: octets, as: UTF8.self) != nil)
    let run = CommandRun(["key", "import", "--alg", "Ed25519"], input: octets)
    #expect(run.status == .done, "\(run.errors)")
    #expect(try JWK(parsing: run.text).isPrivate)
    // Text that begins with the octet of a SEQUENCE stays text.
    let pem = CommandRun(["key", "import"], input: "0, my key\n" + (try privatePEM()))
    #expect(pem.status == .done, "\(pem.errors)")
  }

  @Test("text before a key is skipped: a byte order mark, an underlined title, a forwarded mail, another encoding")
  func textBefore() throws {
    let pem = Array(try privatePEM().utf8)
    let jwk = key.serializedWithPrivateKey()
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    for text in [
      mark, Array("My key\n------\n".utf8), mark + Array("-----Original Message-----\n".utf8), [0xE4, 0x0A],
    ] {
      let run = CommandRun(["key", "import"], input: text + pem)
      #expect(run.status == .done && run.errors.isEmpty, "\(run.errors)")
    }
    // A JWK after a byte order mark, on standard input and in a file, alone and in a set.
    #expect(CommandRun(["key", "thumbprint"], input: mark + jwk).status == .done)
    let token = try JWS.sign([1], with: SigningKey(key))
    for file in [jwk, Array(#"{"keys":["#.utf8) + jwk + Array("]}".utf8), pem] {
      let run = CommandRun(
        ["verify", "--key", "k", "--alg", "ES256"], input: Array(token.utf8), files: ["k": mark + file])
      #expect(run.status == .done, "\(run.errors)")
    }
    // What is no text keeps its octets.
    let payload = mark + [1]
    let signed = CommandRun(["sign", "--key", "k"], input: payload, files: ["k": jwk])
    let opened = CommandRun(["verify", "--key", "k", "--alg", "ES256"], input: signed.output, files: ["k": jwk])
    #expect(opened.output == payload)
  }

  @Test("certificates where one key is asked for are counted")
  func certificates() throws {
    let two = CertificateFiles.leaf + CertificateFiles.authority
    for (text, expected) in [(two, "has two certificates"), (two + two, "has several certificates")] {
      let run = CommandRun(["key", "import"], input: text)
      #expect(run.status == .invalid && run.errors.count == 1)
      #expect(run.errors.first?.contains(expected) == true, "\(run.errors)")
    }
    #expect(CommandRun(["key", "import"], input: CertificateFiles.leaf).status == .done)
  }

  @Test("lines of PEM end in LF, CRLF or CR", arguments: ["\n", "\r\n", "\r"])
  func lineEnds(_ lineEnd: String) throws {
    let run = CommandRun(["key", "import"], input: try privatePEM().replacing("\n", with: lineEnd))
    #expect(run.status == .done, "\(run.errors)")
    #expect(try JWK(parsing: run.text).thumbprint() == key.thumbprint())
  }

  /// A key on P-256, encrypted with ``password``.
  private static let encryptedPEM = {
    let base64 = """
      MIHeMEkGCSqGSIb3DQEFDTA8MBsGCSqGSIb3DQEFDDAOBAhmxrnMZQRnDAICA+gwHQYJYIZIAWUDBAECBBAH/K0men6S6jDO0bok\
      3QS4BIGQrcnkmiAL0m2BF5oAIyogMSwueNw+f62ndEHg8SM6q2fCcy97Hajnx3r0USPtcjH7bVOJxEfdPOxk8EJKXM+jHoWUzw9bI0\
      yHsyJArlj/0kmBdlhQIIuHNCdh65BUj6arVCbuaC77SL6275xe0MNEG8WVmabCON1OBqueNrjtlEhKx198kmgTDxvdyDUTUKJr
      """
    return "-----BEGIN ENCRYPTED PRIVATE KEY-----\n\(base64)\n-----END ENCRYPTED PRIVATE KEY-----\n"
  }()
  private static let password = "correct horse Å"

  @Test("an encrypted key serves wherever keys are read, with a password file")
  func encryptedKeys() throws {
    let files = ["k": Array(Self.encryptedPEM.utf8), "p": Array((Self.password + "\n").utf8), "w": Array("wrong".utf8)]
    let password = ["--password-file", "p"]
    let signed = CommandRun(["sign", "--key", "k"] + password, input: "x", files: files)
    #expect(CommandRun(["verify", "--key", "k"] + password, input: signed.output, files: files).text == "x")
    for arguments in [
      ["jwt", "sign", "--key", "k"], ["dpop", "sign", "--key", "k", "--method", "GET", "--uri", "https://a.example/"],
      ["jwks", "merge", "k"],
    ] {
      #expect(CommandRun(arguments + password, files: files).status == .done, "\(arguments)")
      let without = CommandRun(arguments, files: files)
      #expect(without.status == .usage && without.errors.first?.contains("--password-file FILE") == true)
    }
    let sealed = CommandRun(["encrypt", "--key", "k", "--alg", "ECDH-ES"] + password, input: "x", files: files)
    #expect(
      CommandRun(["decrypt", "--key", "k", "--alg", "ECDH-ES"] + password, input: sealed.output, files: files).text
        == "x")
    let wrong = CommandRun(["sign", "--key", "k", "--password-file", "w"], input: "x", files: files)
    #expect(wrong.status == .invalid && wrong.errors.first?.contains("decryptionFailed") == true)
  }

  @Test("an error of a key file has its name, and a key for several algorithms asks for one")
  func namesOfFiles() throws {
    for (content, word) in [("nonsense", "-----BEGIN"), ("", "empty"), ("{\"kty\":\"EC\"}", "crv")] {
      let run = CommandRun(["sign", "--key", "keys/mine"], input: "x", files: ["keys/mine": Array(content.utf8)])
      let text = run.errors.first ?? ""
      #expect(run.status == .invalid && text.contains(word) && text.hasSuffix("(in the key file keys/mine)"), "\(text)")
    }
    var ed25519 = JWK.generate(.ed25519)
    var rsa = JWK.generate(.rs256)
    (ed25519.algorithm, rsa.algorithm) = (nil, nil)
    let files = ["e": Array(ed25519.serializedWithPrivateKey()), "r": Array(rsa.serializedWithPrivateKey())]
    for (arguments, hint) in [
      (["sign", "--key", "r"], "--alg RS256"), (["sign", "--key", "e"], "--alg Ed25519"),
      (["encrypt", "--key", "r"], "--alg RSA-OAEP-256"),
    ] {
      let run = CommandRun(arguments, input: "x", files: files)
      #expect(run.status == .usage && run.errors.first?.contains(hint) == true, "\(run.errors)")
    }
  }

  @Test("an encrypted key opens with the first line of a password file")
  func encrypted() throws {
    let (pem, password) = (Self.encryptedPEM, Self.password)
    for (input, file) in [
      (Array(pem.utf8), password), (Array(pem.utf8), password + "\n"), (try der(pem), password + "\r\nsecond line"),
    ] {
      let run = CommandRun(
        ["key", "import", "--password-file", "p"], input: input, files: ["p": Array(file.utf8)])
      #expect(run.status == .done, "\(run.errors)")
      #expect(try JWK(parsing: run.text).isPrivate)
    }
    let wrong = CommandRun(["key", "import", "--password-file", "p"], input: pem, files: ["p": Array("wrong".utf8)])
    #expect(wrong.status == .invalid && wrong.errors.count == 1 && wrong.output.isEmpty)
    let without = CommandRun(["key", "import"], input: pem)
    #expect(without.status == .invalid && without.errors.first?.contains("encrypted") == true)
  }

  @Test(
    "sizes of generated keys",
    arguments: [
      ("HS256", 256, 0), ("HS256", 1024, 0), ("HS512", 512, 0), ("HS512", 256, 1), ("HS256", 257, 2),
      ("HS256", 100_000, 2), ("ES256", 256, 2), ("A128KW", 128, 2), ("RS256", 1024, 2), ("RS256", 2049, 2),
      ("RSA-OAEP", 8192, 2), ("RS999", 2048, 2),
    ])
  func sizes(_ algorithm: String, _ bitCount: Int, _ status: Int32) throws {
    let run = CommandRun(["key", "generate", "--alg", algorithm, "--size", "\(bitCount)"])
    #expect(run.status.rawValue == status, "\(run.errors)")
    guard status == 0 else { return #expect(run.output.isEmpty) }
    guard case .string(let k)? = try JSONObject(parsing: run.output)["k"] else { return #expect(Bool(false)) }
    #expect(try Base64URL.decode(k).count == bitCount / 8)
  }

  @Test("an RSA key of 2048 bits", arguments: ["PS256", "RSA-OAEP-256"])
  func rsa(_ algorithm: String) throws {
    let run = CommandRun(["key", "generate", "--alg", algorithm, "--size", "2048", "--kid", "r"])
    #expect(run.status == .done, "\(run.errors)")
    guard case .string(let n)? = try JSONObject(parsing: run.output)["n"] else { return #expect(Bool(false)) }
    #expect(try Base64URL.decode(n).count == 256)
    let key = try JWK(parsing: run.text)
    #expect(key.algorithm == algorithm && key.use == (algorithm == "PS256" ? "sig" : "enc") && key.keyID == "r")
  }

  #if !os(Windows)
    @Test("a file is made for its owner alone, and never replaced")
    func output() throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("jose-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.appendingPathComponent("key.json").path
      let arguments = ["key", "generate", "--alg", "ES256", "--output", path]
      let run = CommandRun(arguments)
      #expect(run.status == .done && run.output.isEmpty, "\(run.errors)")
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let written = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(try JWK(parsing: written).isPrivate)
      let again = CommandRun(arguments)
      #expect(again.status == .usage && again.errors.count == 1)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == written)
      #expect(CommandRun(["key", "generate", "--alg", "ES256", "--output", folder.path]).status == .usage)
      let lost = folder.appendingPathComponent("missing/key.json").path
      #expect(CommandRun(["key", "import", "--output", lost], input: try privatePEM()).status == .usage)
      // `key pem` and `key import` write there as well.
      for (verb, name) in [(["pem", "--private"], "key.pem"), (["pem"], "public.pem")] {
        let file = folder.appendingPathComponent(name).path
        #expect(CommandRun(["key"] + verb + ["--output", file], input: Array(written)).status == .done)
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("-----BEGIN P"))
      }
    }
  #endif

  @Test(
    "a full disk is noticed, and no reason to crash",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func fullDisk() throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    #expect(!Console.isWritten(key.serializedWithPrivateKey(), to: full.fileDescriptor))
    let null = try #require(FileHandle(forWritingAtPath: "/dev/null"))
    #expect(Console.isWritten(key.serializedWithPrivateKey(), to: null.fileDescriptor))
  }
}
