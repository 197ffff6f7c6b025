/// Every kernel of this processor, with lengths on both sides of each border.
enum Operations {
  static var all: [Operation] {
    #if HARDWARE_KERNELS && arch(x86_64)
      return twins + keySchedules + blockChaining + galoisCounterMode + chacha + hash + hashOnVectors + argon2OnVectors
        + base64
        + longIntegers + keccak + keccakOfOneState + longIntegersWithoutIFMA + longIntegersWithAVX2 + pointMultiples
        + wholeCalls
    #else
      return []
    #endif
  }

  /// Twins that leak on purpose; the check must tell their runs apart.
  private static var twins: [Operation] {
    [
      Operation("twin: branch on the counter", mustBeConstant: false) { secret, memory in
        memory.reset(for: secret)
        let counter = secret.counterBlock
        return { LeakyTwins.fill(memory.output, from: counter, count: 64) }
      },
      Operation("twin: stop at the first difference", mustBeConstant: false) { secret, memory in
        memory.reset(for: secret)
        return { consume(LeakyTwins.firstDifference(memory.input, memory.output, count: 64)) }
      },
      Operation("twin: copy as much as a secret says", mustBeConstant: false) { secret, memory in
        memory.reset(for: secret)
        return { LeakyTwins.copy(memory.input, to: memory.output) }
      },
    ]
  }
}
