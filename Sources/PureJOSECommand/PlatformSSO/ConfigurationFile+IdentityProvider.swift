import JOSE
import PlatformSSO

extension ConfigurationFile {
  /// `identityProvider`: the properties of ``IdentityProviderConfiguration`` by their names.
  func providerConfiguration(
    _ members: inout ConfigurationMembers
  ) throws(CommandFailure) -> IdentityProviderConfiguration {
    var object = try members.members("identityProvider")
    guard let clientIDs = try object.strings(ifPresent: "clientIDs") else { throw object.missing("clientIDs") }
    var configuration = IdentityProviderConfiguration(
      issuer: try object.string("issuer"), clientIDs: clientIDs, audience: try object.string("audience"),
      tokenEndpointURL: try object.string("tokenEndpointURL"))
    try readNames(&configuration, &object)
    try readRules(&configuration, &object)
    try readBounds(&configuration, &object)
    try object.finish()
    configuration.loginRequestDecryptionKeys = try decryptionKeys(&members)
    return configuration
  }

  private func readNames(
    _ configuration: inout IdentityProviderConfiguration, _ object: inout ConfigurationMembers
  ) throws(CommandFailure) {
    configuration.refreshEndpointURL = try object.string(ifPresent: "refreshEndpointURL")
    configuration.groupRequestClaimName = try object.string(ifPresent: "groupRequestClaimName")
    let texts: KeyValuePairs<String, WritableKeyPath<IdentityProviderConfiguration, String>> = [
      "nonceResponseMember": \.nonceResponseMember, "serverNonceClaimName": \.serverNonceClaimName,
      "previousRefreshTokenClaimName": \.previousRefreshTokenClaimName,
    ]
    for (name, property) in texts {
      if let value = try object.string(ifPresent: name) { configuration[keyPath: property] = value }
    }
    if let names = try object.strings(ifPresent: "requestParameterNames") {
      configuration.requestParameterNames = names
    }
    if let versions = try object.strings(ifPresent: "refreshRequestVersions") {
      configuration.refreshRequestVersions = versions
    }
    if let prefix = try object.string(ifPresent: "loginRequestEncryptionAPVPrefix") {
      configuration.loginRequestEncryptionAPVPrefix = Array(prefix.utf8)
    }
  }

  private func readRules(
    _ configuration: inout IdentityProviderConfiguration, _ object: inout ConfigurationMembers
  ) throws(CommandFailure) {
    let flags: KeyValuePairs<String, WritableKeyPath<IdentityProviderConfiguration, Bool>> = [
      "acceptsJWTType": \.acceptsJWTType, "requiresAudienceInKeyRequests": \.requiresAudienceInKeyRequests,
      "repeatsPartyVInfo": \.repeatsPartyVInfo,
    ]
    for (name, property) in flags {
      if let value = try object.bool(ifPresent: name) { configuration[keyPath: property] = value }
    }
    try object.choose(
      "clientRequestID", for: &configuration.clientRequestID,
      ["notChecked": .notChecked, "required": .required, "boundToServerNonce": .boundToServerNonce])
  }

  private func readBounds(
    _ configuration: inout IdentityProviderConfiguration, _ object: inout ConfigurationMembers
  ) throws(CommandFailure) {
    if let seconds = try object.number(ifPresent: "clockSkew") { configuration.clockSkew = seconds }
    if let seconds = try object.number(ifPresent: "maximumLifetime") { configuration.maximumLifetime = seconds }
    if let seconds = try object.integer(ifPresent: "idTokenLifetime") {
      guard (1...31_622_400).contains(seconds) else {
        throw .usage("identityProvider.idTokenLifetime in the configuration must be 1 second to a year")
      }
      configuration.idTokenLifetime = seconds
    }
    if let count = try object.integer(ifPresent: "maximumBodyByteCount") { configuration.maximumBodyByteCount = count }
  }

  /// `loginRequestDecryptionKeys`: an array of JWKs or paths.
  private func decryptionKeys(_ members: inout ConfigurationMembers) throws(CommandFailure) -> [DecryptionKey] {
    guard let value = members.value("loginRequestDecryptionKeys") else { return [] }
    guard let elements = value.arrayValue else {
      throw .usage("loginRequestDecryptionKeys in the configuration must be an array of keys")
    }
    var keys: [DecryptionKey] = []
    for (index, element) in elements.enumerated() {
      var holder = ConfigurationMembers(["\(index)": element], path: "loginRequestDecryptionKeys.")
      let jwk = try requiredKey("\(index)", in: &holder)
      keys.append(
        try keyError("loginRequestDecryptionKeys.\(index)") { () throws(JOSEError) in
          try DecryptionKey(jwk, algorithm: .ecdhES)
        })
    }
    return keys
  }
}
