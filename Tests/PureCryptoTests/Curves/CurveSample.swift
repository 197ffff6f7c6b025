/// A key of RFC 6979 A.2.6 or A.2.7, or the d of A.2.5 on secp256k1, as OpenSSL 3.0 and pyca/cryptography 48 encode
/// it.
struct CurveSample: Sendable {
  /// As long as a coordinate.
  let p: String
  let n: String
  let d: String
  let x: String
  let y: String
  let spki: String
  let pkcs8: String
  let sec1: String

  var byteCount: Int { d.utf8.count / 2 }
  var point: String { "04" + x + y }

  static let p384 = CurveSample(
    p: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
    n: "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
    d: "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5",
    x: "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13",
    y: "8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720",
    spki: "3076301006072a8648ce3d020106052b81040022036200",
    pkcs8: "3081b6020100301006072a8648ce3d020106052b81040022"
      + "04819e30819b0201010430", sec1: "3081a40201010430", curve: "06052b81040022", wrapped: "a164036200")

  static let p521 = CurveSample(
    p: "01ff" + String(repeating: "ff", count: 64),
    n: "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa"
      + "51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
    d: "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75ca"
      + "a896eb32f1f47c70855836a6d16fcc1466f6d8fbec67db89ec0c08b0e996b83538",
    x: "01894550d0785932e00eaa23b694f213f8c3121f86dc97a04e5a7167db4e5bcd37"
      + "1123d46e45db6b5d5370a7f20fb633155d38ffa16d2bd761dcac474b9a2f5023a4",
    y: "00493101c962cd4d2fddf782285e64584139c2f91b47f87ff82354d6630f746a28"
      + "a0db25741b5b34a828008b22acc23f924faafbd4d33f81ea66956dfeaa2bfdfcf5",
    spki: "30819b301006072a8648ce3d020106052b8104002303818600",
    pkcs8: "3081ee020100301006072a8648ce3d0201"
      + "06052b810400230481d63081d30201010442", sec1: "3081dc0201010442", curve: "06052b81040023",
    wrapped: "a1818903818600")

  static let secp256k1 = CurveSample(
    p: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
    n: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
    d: "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
    x: "2c8c31fc9f990c6b55e3865a184a4ce50e09481f2eaeb3e60ec1cea13a6ae645",
    y: "64b95e4fdb6948c0386e189b006a29f686769b011704275e4459822dc3328085",
    spki: "3056301006072a8648ce3d020106052b8104000a034200",
    pkcs8: "308184020100301006072a8648ce3d020106052b8104000a" + "046d306b0201010420", sec1: "30740201010420",
    curve: "06052b8104000a", wrapped: "a144034200")

  /// - Parameter spki: what stands before the point, and likewise for the private key's forms before d.
  /// - Parameter wrapped: what stands before the point in them.
  private init(
    p: String, n: String, d: String, x: String, y: String, spki: String, pkcs8: String, sec1: String, curve: String,
    wrapped: String
  ) {
    self.p = p
    self.n = n
    self.d = d
    self.x = x
    self.y = y
    let point = "04" + x + y
    self.spki = spki + point
    self.pkcs8 = pkcs8 + d + wrapped + point
    self.sec1 = sec1 + d + "a007" + curve + wrapped + point
  }
}
