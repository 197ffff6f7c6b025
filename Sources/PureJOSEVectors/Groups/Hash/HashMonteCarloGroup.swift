/// The Monte Carlo test of SHAVS: each checkpoint's digest is the seed of the next.
struct HashMonteCarloGroup: VectorGroup {
  private let function: MessageHash
  private let innerIterations: Int
  private var seed: [UInt8]
  private var nextCheckpoint = 0

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    function = try MessageHash(named: try group.string("sha"))
    seed = try group.octets("seed")
    innerIterations = try group.integer("innerIterations", in: 1...100_000)
  }

  mutating func run(_ test: MemberReader) throws -> Verdict {
    let checkpoint = try test.integer("checkpoint")
    let digest = try test.octets("digest")
    guard checkpoint == nextCheckpoint else { throw VectorFault.malformed("checkpoint \(nextCheckpoint) is missing") }
    nextCheckpoint += 1
    var (a, b, c) = (seed, seed, seed)
    for _ in 0..<innerIterations { (a, b, c) = (b, c, function.hash(a + b + c)) }
    seed = c
    return .accepted(if: c == digest, otherwise: "the digest differs")
  }
}
