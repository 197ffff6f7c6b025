/// What administrators switch on and off of a client.
struct ClientSwitch: Sendable {
  /// In the form.
  let name: String
  let label: String
  let member: WritableKeyPath<Client, Bool> & Sendable

  static let all = [
    ClientSwitch(name: "par", label: "It pushes its authorization requests", member: \.requiresPushedRequests),
    ClientSwitch(name: "dpop", label: "It proves possession of a key", member: \.requiresDPoP),
    ClientSwitch(
      name: "pkce", label: "Its requests need a code challenge though it has a secret", member: \.requiresPKCE),
    ClientSwitch(
      name: "audience", label: "Its assertions may name the token endpoint as audience",
      member: \.allowsTokenEndpointAudience),
    ClientSwitch(
      name: "resource", label: "It is a resource server, which asks about tokens", member: \.isResourceServer),
  ]
}
