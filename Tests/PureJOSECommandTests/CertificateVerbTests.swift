import JOSE
import Testing

@testable import PureJOSECommand

@Suite("The jose command: certificates")
struct CertificateVerbTests {
  private let chain = CertificateFiles.leaf + CertificateFiles.authority
  private let roots = ["r": Array(CertificateFiles.root.utf8)]
  /// 2026-07-01.
  private let time = "1782864000"

  private func run(
    _ more: [String] = [], chain: String? = nil, at time: String? = nil, files: [String: [UInt8]]? = nil
  ) -> CommandRun {
    CommandRun(
      ["certificate", "verify", "--root", "r", "--at", time ?? self.time] + more, input: chain ?? self.chain,
      files: files ?? roots)
  }

  @Test(
    "a chain that leads to the root gives the JWK of its first certificate", arguments: ["any", "sign", "attestation"])
  func accepted(_ purpose: String) throws {
    let run = run(["--purpose", purpose])
    #expect(run.status == .done && run.errors.isEmpty, "\(run.errors)")
    let key = try JWK(parsing: run.text)
    #expect(!key.isPrivate)
    #expect(try key.thumbprint() == LeafCertificate(pemRepresentation: CertificateFiles.leaf).publicKey.thumbprint())
    #expect(self.run().output == run.output)
  }

  @Test("roots in DER, several in a file, and several files")
  func rootFiles() throws {
    let der = try LeafCertificate(pemRepresentation: CertificateFiles.root).derRepresentation
    #expect(run(files: ["r": der]).status == .done)
    #expect(run(files: ["r": Array((CertificateFiles.authority + CertificateFiles.root).utf8)]).status == .done)
    #expect(run(["--root", "s"], files: ["r": Array(CertificateFiles.authority.utf8), "s": der]).status == .done)
    // The authority alone is a root as good as any, if the caller says so.
    #expect(run(chain: CertificateFiles.leaf, files: ["r": Array(CertificateFiles.authority.utf8)]).status == .done)
  }

  @Test("text around certificates is skipped in any encoding, lines of hyphens and byte order marks among it")
  func textAround() {
    // "Größe" in Latin-1, which is no UTF-8.
    let latin1: [UInt8] = [0x47, 0x72, 0xF6, 0xDF, 0x65, 0x0A]
    for text in [latin1, Array("-----Original Message-----\n".utf8), Array("A title\n=======\n-----\n".utf8)] {
      for mark in [[], [0xEF, 0xBB, 0xBF]] as [[UInt8]] {
        let around = mark + text
        let root = around + Array(CertificateFiles.root.utf8) + text
        let chain = around + Array(CertificateFiles.leaf.utf8) + text + Array(CertificateFiles.authority.utf8) + text
        let run = CommandRun(
          ["certificate", "verify", "--root", "r", "--at", time], input: chain, files: ["r": root])
        #expect(run.status == .done && run.errors.isEmpty, "\(run.errors)")
      }
    }
  }

  @Test("a root that can't be used is named, and the others serve")
  func unusableRoots() {
    let roots = Array((CertificateFiles.leaf + CertificateFiles.root).utf8)
    let run = run(files: ["r": roots])
    #expect(run.status == .done && run.errors.count == 1)
    #expect(
      run.errors.first?.hasPrefix("jose: a root is left out: certificateInvalid(root[0].basicConstraints): ") == true)
  }

  @Test("what is refused says which certificate breaks which rule")
  func refused() {
    let leaf = CertificateFiles.leaf
    let cases: [(CommandRun, String)] = [
      (run(chain: leaf), "certificateInvalid(x5c[0].issuer)"),
      (run(at: "1767225599"), "certificateInvalid(x5c[0].notBefore)"),
      (run(at: "1798761601"), "certificateInvalid(x5c[0].notAfter)"),
      (
        run(["--purpose", "sign"], chain: CertificateFiles.encipherment + CertificateFiles.authority),
        "certificateInvalid(x5c[0].keyUsage)"
      ),
      (run(["--eku", "1.3.6.1.5.5.7.3.8"]), "certificateInvalid(x5c[0].extKeyUsage)"),
      (run(chain: CertificateFiles.authority + leaf), "certificateInvalid(x5c[0].basicConstraints)"),
      (run(chain: ""), "malformed(x5c)"), (run(chain: "nonsense"), "malformed(x5c)"),
      // Text beside certificates is explanatory (RFC 7468, 5.2), so that this chain is the leaf alone.
      (run(chain: CertificateFiles.leaf + "text"), "certificateInvalid(x5c[0].issuer)"),
      (run(chain: String(repeating: CertificateFiles.leaf, count: 11)), "limitExceeded(certificateCount)"),
    ]
    for (run, expected) in cases {
      #expect(run.status == .invalid && run.output.isEmpty && run.errors.count == 1)
      #expect(run.errors.first?.hasPrefix("jose: \(expected): ") == true, "\(run.errors)")
    }
    #expect(run(chain: CertificateFiles.encipherment + CertificateFiles.authority).status == .done)
    // The limits of time are within it.
    for time in ["1767225600", "1798761600"] { #expect(run(at: time).status == .done) }
  }

  @Test("an explanation says what is wrong with a chain, and ends as verify does")
  func explained() {
    func explained(at time: String) -> CommandRun {
      CommandRun(["certificate", "explain", "--root", "r", "--at", time], input: chain, files: roots)
    }
    let accepted = explained(at: time)
    #expect(accepted.status == .done && accepted.errors.isEmpty, "\(accepted.errors)")
    #expect(accepted.text.hasPrefix("accepted\n") && accepted.text.contains("by root[0]"), "\(accepted.text)")
    let refused = explained(at: "1798761601")
    #expect(refused.status == .invalid && refused.text.hasPrefix("refused\n"), "\(refused.text)")
    #expect(refused.text.contains("certificateInvalid(x5c[0].notAfter)"), "\(refused.text)")
    #expect(refused.errors.first?.hasPrefix("jose: certificateInvalid(x5c[0].notAfter): ") == true)
  }

  @Test("mistakes of the caller, files of roots among them")
  func usage() {
    let leaf = ["r": Array(CertificateFiles.leaf.utf8)]
    let runs = [
      CommandRun(["certificate"]), CommandRun(["certificate", "show"]),
      CommandRun(["certificate", "verify"], input: chain), CommandRun(["certificate", "explain"], input: chain),
      run(["--purpose", "all"]), run(at: "now"), run(["--eku", "signing"]), run(["x"]), run(files: [:]),
      run(files: ["r": []]), run(files: ["r": Array("nonsense".utf8)]), run(files: ["r": [0x30, 0]]), run(files: leaf),
    ]
    for run in runs { #expect(run.status == .usage && run.output.isEmpty && run.errors.count == 1, "\(run.errors)") }
  }

  @Test("an error names the option that is wrong, and no other")
  func namedOption() throws {
    let wrongRoot = try #require(run(files: ["r": Array(CertificateFiles.leaf.utf8)]).errors.first)
    #expect(wrongRoot.contains("--root: certificateInvalid(root[0].basicConstraints)"), "\(wrongRoot)")
    #expect(!wrongRoot.contains("--eku"), "\(wrongRoot)")
    let wrongPurpose = try #require(run(["--eku", "signing"]).errors.first)
    #expect(wrongPurpose.contains("--eku is an object identifier") && !wrongPurpose.contains("--root"))
    let both = run(["--eku", "1.3.6.1.5.5.7.3.8"], files: ["r": Array(CertificateFiles.leaf.utf8)])
    #expect(try #require(both.errors.first).contains("--root: certificateInvalid"))
  }
}
