/// The ratios that an operation must reach and aims at, on an x86-64 processor with SHA and AVX-512 extensions.
struct Target {
  let floor: Double
  let aim: Double

  static let all: [String: Target] = [
    // The peer is at the hardware's limit here, so the aim is to be level with it.
    "sha256.16k": Target(floor: 0.97, aim: 1),
    "sha256.64": Target(floor: 1.5, aim: 2.5),
    "hmac-sha256.300": Target(floor: 1.5, aim: 2.5),
    "aes256gcm.seal.64": Target(floor: 4, aim: 10),
    "aes256gcm.seal.1k": Target(floor: 2.5, aim: 6),
    "aes256gcm.open.1k": Target(floor: 2.5, aim: 6),
    "aes256gcm.seal.16k": Target(floor: 1.2, aim: 2),
    "aes256gcm.open.16k": Target(floor: 1.2, aim: 2),
    "aes256gcm.seal.1m": Target(floor: 1, aim: 1.5),
    "p256.sign": Target(floor: 1, aim: 1.5),
    "p256.keygen": Target(floor: 3, aim: 5),
    "p256.verify": Target(floor: 0.9, aim: 1.3),
    "p256.verify.prepared": Target(floor: 2.3, aim: 3.5),
    "p256.ecdh": Target(floor: 0.85, aim: 1.2),
    "rs256.verify": Target(floor: 0.5, aim: 1),
    "jwt.hs256.sign": Target(floor: 3, aim: 3),
    "jwt.hs256.verify": Target(floor: 3, aim: 3),
    "jwt.es256.sign": Target(floor: 2.2, aim: 3),
    "jwt.es256.verify": Target(floor: 3, aim: 4.5),
    "jwe.ecdh-es.a256gcm.encrypt": Target(floor: 1.3, aim: 2),
    "jwe.ecdh-es.a256gcm.decrypt": Target(floor: 1.1, aim: 1.5),
  ]
}
