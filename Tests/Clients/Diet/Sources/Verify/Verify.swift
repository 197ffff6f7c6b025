import JOSE

@main
enum Verify {
  static func main() throws {
    let key = try SigningKey.generate(.es256)
    let token = try JWS.sign(Array("hello".utf8), with: key)
    print(String(decoding: try JWS.verify(token, with: key.verificationKey).payload, as: UTF8.self))
  }
}
