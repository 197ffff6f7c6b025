import Foundation
import JOSE
import PureJOSETestSupport
import Testing

@testable import PureJOSECommand

@Suite("The command's name, and what helps who mistypes")
struct NameAndHelpTests {
  /// Every text that helps: of all verbs and words, by the short name and by the one that README installs.
  private static var helpTexts: [(arguments: [String], program: String)] {
    var all: [[String]] = [["--help"], ["help", "--man"]]
    for verb in Verb.allCases {
      all.append([verb.rawValue, "--help"])
      for word in Set(Synopsis.all(of: verb).compactMap(\.word)).sorted() {
        all.append([verb.rawValue, word, "--help"])
      }
    }
    return all.flatMap { [($0, "jose"), ($0, "/usr/local/bin/purejose")] }
  }

  @Test("help and manual page have 80 columns at most, by either name")
  func columns() {
    #expect(Self.helpTexts.count > 80)
    for (arguments, program) in Self.helpTexts {
      let run = CommandRun(arguments, program: program)
      #expect(run.status == .done && !run.output.isEmpty, "\(arguments)")
      // What roff shows of a line: an escaped hyphen or backslash is one column.
      for line in run.text.split(separator: "\n") {
        let shown = line.replacing("\\-", with: "-").replacing("\\[u2026]", with: "…")
        #expect(shown.count <= 80, "\(program) \(arguments): \(line)")
      }
    }
  }

  @Test("what the manual page doesn't fill fits into a terminal of 80 columns")
  func manualColumns() {
    var isVerbatim = false
    var indentation = 0
    for line in CommandRun(["help", "--man"]).text.split(separator: "\n") {
      switch line {
      case ".nf": (isVerbatim, indentation) = (true, 7)
      case ".fi": isVerbatim = false
      case ".in 0": indentation = 0
      default:
        let shown = line.replacing("\\-", with: "-").replacing("\\[u2026]", with: "…")
        #expect(!isVerbatim || indentation + shown.count <= 80, "\(line)")
      }
    }
  }

  @Test("help, completion, manual page, version and errors say the name that the command was called by")
  func name() {
    for (arguments, program) in Self.helpTexts where program != "jose" {
      let run = CommandRun(arguments, program: program)
      #expect(!run.text.replacing("purejose", with: "").contains("jose "), "\(arguments)")
      #expect(run.text.contains("purejose"), "\(arguments)")
    }
    #expect(CommandRun(["help", "--man"], program: "purejose").text.hasPrefix(".TH PUREJOSE 1"))
    #expect(CommandRun(["--version"], program: "./purejose").text == "purejose \(Version.text)\n")
    let wrong = CommandRun(["jwt", "verfy"], program: "purejose").errors.first ?? ""
    #expect(wrong.hasPrefix("purejose: jwt is followed by") && wrong.hasSuffix("; see purejose jwt --help"))
    for shell in ["bash", "zsh", "fish"] {
      let text = CommandRun(["completion", shell], program: "/opt/bin/purejose").text
      #expect(!text.replacing("purejose", with: "").contains("jose "), "\(shell)")
      #expect(text.contains(shell == "fish" ? "complete -c purejose" : "-F _purejose purejose"))
    }
  }

  @Test(
    "a name that a shell or a terminal would take for more than a name is not repeated",
    arguments: ["", "/", "a b", "$(reboot)", "x;y", "jose\u{1b}[2J", "-", "-jose", String(repeating: "a", count: 65)])
  func strangeNames(_ path: String) {
    #expect(ProgramName(path: path).text == "jose")
    #expect(ProgramName(path: "/usr/bin/jose-0.1_x").functionName == "jose_0_1_x")
  }

  @Test("README installs it beside latchset's jose, not before it, and linked to no toolchain")
  func installation() throws {
    let readme = String(decoding: try PackageFile.octets("README.md"), as: UTF8.self)
    #expect(readme.contains("--static-swift-stdlib") && readme.contains("/usr/local/bin/purejose"))
    #expect(!readme.contains("install .build/release/jose /usr/local/bin`"))
    #expect(readme.contains("purejose key generate --alg ES256 --output key.json\n"))
  }

  @Test("no line of a description begins as a call does, which would be set as one")
  func descriptions() {
    for verb in Verb.allCases {
      for line in (Usage.text(for: verb.rawValue) ?? "").split(separator: "\n") {
        let words = line.split(separator: " ").prefix(2)
        #expect(words.first != "jose" || words.last == Substring(verb.rawValue), "\(line)")
      }
    }
  }

  @Test("the help of a word shows that word alone")
  func wordHelp() {
    let verify = CommandRun(["jwt", "verify", "--help"]).text
    #expect(verify.hasPrefix("jose jwt verify") && !verify.contains("jose jwt sign") && verify.contains("--leeway"))
    let generate = CommandRun(["key", "generate", "-h"]).text
    #expect(generate.contains("only you may read it") && !generate.contains("jose key import"))
    let login = CommandRun(["psso", "login-request", "--help"]).text
    #expect(login.contains("NONCE-RESPONSE is") && !login.contains("jose psso curl"))
    #expect(CommandRun(["psso", "mac", "--help"]).text.contains("--config MAC"))
    #expect(CommandRun(["help", "jwt", "verify"]).text == verify)
    let whole = CommandRun(["jwt", "--help"]).text
    #expect(whole.contains("jose jwt sign") && whole.contains("jose jwt verify"))
  }

  @Test(
    "what is unknown is named, and an error says how to get the help of its verb",
    arguments: [
      (["jwt", "sign", "--key", "k", "--alg", "es256"], "the algorithm es256", "did you mean ES256?", "jwt sign"),
      (["sign", "--key", "k", "--alg", "RS25"], "RS25", "did you mean RS256?", "sign"),
      (["key", "generate", "--alg", "es384"], "es384", "did you mean ES384?", "key generate"),
      (["key", "generate", "--alg", "ECDH-ES", "--crv", "p-256"], "p-256", "did you mean P-256?", "key generate"),
      (["encrypt", "--key", "k", "--enc", "a256gcm"], "a256gcm", "did you mean A256GCM?", "encrypt"),
      (["encrypt", "--key", "k", "--alg", "ecdh-es"], "ecdh-es", "did you mean ECDH-ES?", "encrypt"),
      (["jwt", "verfy"], "not verfy", "did you mean verify?", "jwt"),
      (["psso", "mc"], "not mc", "did you mean mac?", "psso"),
      (["demo", "nativesso"], "nativesso", "did you mean native-sso?", "demo"),
      (["jwt", "verify", "--key", "k", "--iss", "i"], "--aud is required", "", "jwt verify"),
      (["sgin"], "unknown verb sgin", "did you mean sign?", ""),
      (["jwt", "verfy\u{1b}[2J"], "verfy\\u{1B}[2J", "", "jwt"),
    ])
  func errors(_ arguments: [String], _ named: String, _ suggestion: String, _ help: String) {
    let key = Array(JWK.generate(.es256).serializedWithPrivateKey())
    let run = CommandRun(arguments, files: ["k": key])
    #expect(run.status == .usage && run.errors.count == 1)
    let text = run.errors.first ?? ""
    #expect(text.contains(named) && (suggestion.isEmpty || text.contains(suggestion)), "\(text)")
    #expect(text.hasSuffix("; see jose \(help.isEmpty ? "" : help + " ")--help"), "\(text)")
  }

  @Test("a file that can't be read or written says why")
  func files() throws {
    func reason(_ path: String) -> String {
      do throws(CommandFailure) {
        _ = try Console.standard.readFile(path)
        return ""
      } catch {
        guard case .usage(let text) = error else { return "" }
        return text
      }
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "jose-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(reason(folder.path + "/absent").hasSuffix("absent can't be read: no such file"))
    #expect(reason(folder.path).hasSuffix("can't be read: it is a folder"))
    #expect(FileFault.reason(EACCES) == "no permission")
    let file = folder.path + "/absent/x"
    #expect(throws: CommandFailure.usage("the file \(file) can't be written: no such folder")) {
      try Console.standard.writeFile([1], file)
    }
  }
}
