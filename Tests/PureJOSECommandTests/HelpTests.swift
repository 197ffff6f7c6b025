import Foundation
import JOSE
import PureJOSETestSupport
import Testing

@testable import PureJOSECommand

@Suite("Help, completion and arguments")
struct HelpTests {
  @Test("the version is the one that README installs")
  func version() throws {
    let readme = String(decoding: try PackageFile.octets("README.md"), as: UTF8.self)
    #expect(readme.contains("add-dependency https://github.com/purejose/purejose.git --from \(Version.text)\n"))
    #expect(CommandRun(["--version"]).text == "jose \(Version.text)\n")
  }

  @Test("-h is --help, everywhere", arguments: [["-h"], ["jwt", "-h"], ["jwt", "verify", "-h"], ["help", "jwt"]])
  func shortHelp(_ arguments: [String]) {
    let run = CommandRun(arguments)
    #expect(run.status == .done && run.text.contains("jose jwt verify"))
  }

  @Test(
    "typing errors are answered with the nearest word",
    arguments: [
      (["sgin"], "sign"), (["verfy"], "verify"), (["encrpt"], "encrypt"), (["jtw"], "jwt"),
      (["jwt", "verfy"], "verify"),
      (["inspct"], "inspect"), (["verify", "--kye", "x"], "--key"), (["key", "generate", "--agl", "x"], "--alg"),
      (["jwks", "filer"], "filter"), (["key", "genrate"], "generate"), (["dpop", "verfy"], "verify"),
      (["certificate", "verfy"], "verify"), (["completion", "bahs"], "bash"),
    ])
  func suggestions(_ arguments: [String], _ word: String) {
    let run = CommandRun(arguments)
    #expect(run.status == .usage && run.errors.count == 1)
    #expect(run.errors[0].contains("did you mean \(word)?"))
  }

  @Test(
    "an unknown verb that resembles no other gets no suggestion",
    arguments: ["zzzzzz", "x", String(repeating: "sign", count: 100)])
  func noSuggestion(_ verb: String) {
    let named = verb.utf8.count > 40 ? String(verb.prefix(40)) + "…" : verb
    #expect(CommandRun([verb]).errors == ["jose: unknown verb \(named); see jose --help"])
  }

  @Test("a value may follow an equals sign")
  func equalsSign() throws {
    let key = Array(JWK.generate(.es256).serializedWithPrivateKey())
    let signed = CommandRun(["jwt", "sign", "--key=k", "--iss=a=b"], input: "", files: ["k": key])
    #expect(signed.status == .done)
    #expect(CommandRun(["inspect"], input: signed.text).text.contains("a=b"))
    #expect(CommandRun(["key", "thumbprint", "--uri=x"], input: key).status == .usage)
    #expect(CommandRun(["key", "generate", "--alg=", "--kid=x"]).status == .usage)
    #expect(CommandRun(["key", "generate", "--alg=ES256", "--alg", "ES256"]).status == .usage)
  }

  @Test("every option that help names is known, and completed in every shell", arguments: Verb.allCases)
  func synopses(_ verb: Verb) {
    let synopses = Synopsis.all(of: verb)
    #expect(!synopses.isEmpty)
    for synopsis in synopses {
      for option in synopsis.options {
        let words = [verb.rawValue, synopsis.word].compactMap { $0 }
        // One name too many, so that no demonstration is played: it would wait on a thread that tests share.
        let run = CommandRun(words + [option] + (verb == .demo ? ["native-sso"] : []))
        #expect(!run.errors.contains { $0.contains("unknown option") }, "\(words) \(option)")
        let known = CommandRun(words + [option + "x"])
        #expect(known.status == .usage, "\(words) \(option)x")
        for shell in ["bash", "zsh"] { #expect(CommandRun(["completion", shell]).text.contains(option)) }
        #expect(CommandRun(["completion", "fish"]).text.contains("-l \(option.dropFirst(2))"))
      }
    }
  }

  @Test("the help of each verb has an example, of a verb with words one for each", arguments: Verb.allCases)
  func examples(_ verb: Verb) {
    // The messages of Platform SSO have one picture for all, in their help.
    guard verb != .psso else { return }
    for synopsis in Synopsis.all(of: verb) {
      let text = synopsis.word.flatMap { Usage.text(for: $0, after: verb.rawValue) } ?? Usage.text(for: verb.rawValue)
      #expect(text?.contains("Example  ") ?? false, "\(verb) \(synopsis.word ?? "")")
    }
  }

  @Test("the help of jwt verify is read as it stands")
  func synopsisOfVerify() throws {
    let verify = try #require(Synopsis.all(of: .jwt).first { $0.word == "verify" })
    #expect(
      verify.options == [
        "--key", "--iss", "--issuer", "--cacert", "--plain-http", "--password-file", "--alg", "--aud", "--typ",
        "--leeway", "--at",
        "--require", "--nonce", "--profile", "--max-lifetime", "--max-work",
      ])
    let check = try #require(Synopsis.all(of: .jwks).first { $0.word == "check" })
    #expect(check.flags == ["--private"] && verify.flags == ["--plain-http"])
    #expect(Synopsis.all(of: .jwks).compactMap(\.word) == ["merge", "filter", "check"])
  }

  /// What a shell prints that reads a text as its program.
  private func output(of shell: String, _ arguments: [String]) throws -> [String] {
    let process = Process()
    process.executableURL = URL(filePath: shell)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(
    "a shell takes the completion and completes by it",
    .enabled(if: FileManager.default.fileExists(atPath: "/bin/bash")))
  func bash() throws {
    let script = CommandRun(["completion", "bash"]).text
    func complete(_ words: String...) throws -> [String] {
      let list = (["jose"] + words).map { "'\($0)'" }.joined(separator: " ")
      let call = "COMP_WORDS=(\(list)); COMP_CWORD=\(words.count); _jose; printf '%s\\n' \"${COMPREPLY[@]}\""
      return try output(of: "/bin/bash", ["-c", script + "\n" + call])
    }
    #expect(try complete("jw") == ["jwt", "jwks"])
    #expect(try complete("hel") == ["help"])
    #expect(try complete("help", "jw") == ["jwt", "jwks"])
    #expect(try complete("help", "--m") == ["--man"])
    #expect(try complete("jwt", "v") == ["verify"])
    #expect(try complete("jwt", "verify", "--pro") == ["--profile"])
    #expect(try complete("inspect", "--j") == ["--json"])
    #expect(try complete("jwt", "sign", "--pro").isEmpty)
    #expect(try complete("psso", "nonce") == ["nonce-request"])
    #expect(try complete("psso", "profile", "--meth") == ["--method"])
    #expect(try complete("jwt", "sign", "--alg", "ES2") == ["ES256", "ES256K"])
    #expect(try complete("key", "generate", "--alg", "A256C") == ["A256CBC-HS512"])
    #expect(try complete("key", "generate", "--crv", "P-3") == ["P-384"])
    #expect(try complete("encrypt", "--enc", "A128G") == ["A128GCM"])
    #expect(try complete("encrypt", "--alg", "ES").isEmpty)
    #expect(try complete("jwt", "verify", "--profile", "id") == ["id-token"])
  }

  @Test(
    "fish completes what follows a verb, and not what follows another word of that name",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/fish")))
  func fish() throws {
    let script = CommandRun(["completion", "fish"]).text
    func complete(_ line: String) throws -> [String] {
      try output(of: "/usr/bin/fish", ["--no-config", "-c", script + "\ncomplete -C '\(line)'"])
    }
    #expect(try complete("jose jw").sorted() == ["jwks", "jwt"])
    #expect(try complete("jose jwt v") == ["verify"])
    #expect(try complete("jose help jw").sorted() == ["jwks", "jwt"])
    #expect(try complete("jose jwt verify --p") == ["--profile"])
    #expect(try complete("jose verify --p") == ["--payload"])
    #expect(try complete("jose inspect --j") == ["--json"])
    #expect(try complete("jose jwt sign --alg ES2") == ["ES256"])
    #expect(try complete("jose psso nonce") == ["nonce-request"])
  }

  @Test(
    "zsh takes the completion, whatever it has set up before",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/zsh")))
  func zsh() throws {
    let script = CommandRun(["completion", "zsh"]).text.replacing("compinit }", with: "compinit -D -u }")
    let known = try output(of: "/usr/bin/zsh", ["-f", "-c", script + "\nprint $_comps[jose]"])
    #expect(known.first?.contains("_jose") ?? false)
  }

  @Test(
    "wrong usage of completion", arguments: [["completion"], ["completion", "tcsh"], ["completion", "bash", "zsh"]])
  func completionUsage(_ arguments: [String]) {
    #expect(CommandRun(arguments).status == .usage)
  }

  @Test("the manual page has every verb, and no line that roff would take for a request")
  func manual() {
    let run = CommandRun(["help", "--man"])
    #expect(run.status == .done && run.text.hasPrefix(".TH JOSE 1"))
    for verb in Verb.allCases { #expect(run.text.contains(".SS \(verb.rawValue)\n")) }
    #expect(run.output.allSatisfy { $0 < 0x80 } && run.text.contains("[PATH \\[u2026]]"))
    let requests: Set<Substring> = [".TH", ".SH", ".SS", ".nf", ".fi", ".in", ".TP", ".B"]
    for line in run.text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      #expect(requests.contains(line.prefix { $0 != " " }))
    }
  }

  @Test("a file that is a pipe is read to its end")
  func pipes() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "jose-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "fifo").path
    try #require(mkfifo(path, 0o600) == 0)
    let key = Array(JWK.generate(.es256).serializedWithPrivateKey())
    let writer = Thread {
      guard let file = FileHandle(forWritingAtPath: path) else { return }
      file.write(Data(key.prefix(10)))
      file.write(Data(key.dropFirst(10)))
      try? file.close()
    }
    writer.start()
    #expect(try Console.standard.readFile(path) == key)
    #expect(throws: CommandFailure.self) { try Console.standard.readFile(folder.path + "/absent") }
    #expect(throws: CommandFailure.self) { try Console.standard.readFile(folder.path) }
  }

  @Test("a verb that works without input doesn't wait for a terminal's input")
  func typedInput() throws {
    let streams = Streams()
    let key = Array(JWK.generate(.es256).serializedWithPrivateKey())
    let console = Console(
      readInput: { () throws(CommandFailure) in throw .invalid("read") }, readFile: { _ in key },
      write: { bytes in streams.output.withLock { $0 += bytes } }, writeError: { _ in }, inputIsTyped: { true })
    #expect(JOSECommand(console: console).run(["jwt", "sign", "--key", "k", "--iss", "i"]) == .done)
    #expect(JOSECommand(console: console).run(["inspect"]) == .invalid)
  }
}
