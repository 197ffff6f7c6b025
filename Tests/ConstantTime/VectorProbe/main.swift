// The probe of `Tests/ConstantTime/taint --vectors`, which compiles it with files of the other probe and with kernels
// whose vector instructions are functions: whatever PureCrypto computes on AVX-512 IFMA with a secret. No target
// holds this file.
//
//   VectorProbe --taint-list
//   VectorProbe --taint [NAME …]
extension TaintedOperations {
  static var all: [TaintedOperation] {
    let names = [
      "p256.import", "p256.generate", "p256.sign, hedged nonce", "p256.sign, given nonce, in range or not",
      "rsa2048.import of any key", "rsa2048.generate", "rsa2048.sign, pkcs1", "rsa2048.sign without factors",
      "rsa2048.oaep decryption of a key, valid or not",
    ]
    return (curves + rsa).filter { names.contains($0.name) } + twins
  }
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments == ["--taint-list"] {
  for operation in TaintedOperations.all { print(operation.name, operation.leaksIn ?? "", separator: "\t") }
} else if arguments.first == "--taint" {
  let names = Set(arguments.dropFirst())
  for operation in TaintedOperations.all where names.isEmpty || names.contains(operation.name) { operation.runApart() }
} else {
  print("usage: VectorProbe --taint-list | --taint [NAME …]")
}
