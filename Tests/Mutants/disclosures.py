"""Faults in JWE with HPKE, tokens with selective disclosure, credentials and status lists with their compression: a name, a file, what
stands there once, and what takes its place.
"""

PROCESSING = "../JOSE/SDJWT/ProcessedPayload.swift"
DISCLOSURE = "../JOSE/SDJWT/Disclosure.swift"
TOKEN = "../JOSE/SDJWT/SDJWT.swift"
ISSUE = "../JOSE/SDJWT/SDJWT+Issue.swift"
PRESENT = "../JOSE/SDJWT/SDJWT+Present.swift"
VERIFIER = "../JOSE/SDJWT/SDJWTVerifier.swift"

TWICE = "guard met.insert(digest).inserted else {"
CLAIM = 'guard verified.claims[name] == .string(expected) else {'

DISCLOSURES = [
    ("digest met twice", PROCESSING, TWICE, "guard met.insert(digest).inserted || true else {"),
    ("digest met twice without a disclosure", PROCESSING, TWICE, "guard met.insert(digest).inserted || places[digest] == nil else {"),
    ("disclosure that occurs twice", PROCESSING, "forKey: disclosure.digest(hash)) == nil else", "forKey: disclosure.digest(hash)) != place else"),
    ("disclosure that no digest names", PROCESSING, "guard paths.count == disclosures.count else", "guard paths.count <= disclosures.count else"),
    ("claim replaced", PROCESSING, "guard names.insert(WireName(name)).inserted else", "guard names.insert(WireName(name)).inserted || true else"),
    ("claim of the issuer's replaced", PROCESSING, "      names.insert(ownName)\n", ""),
    ("element for a member", PROCESSING, "guard disclosure.name == nil else", "guard disclosure.name == nil || true else"),
    ("further members beside a digest", PROCESSING, "guard object.count == 1, let digest", "guard object.count >= 1, let digest"),
    ("digest in an object that is no element", PROCESSING, 'guard object["..."] == nil else', 'guard object["..."] == nil || true else'),
    ("digests that are no strings", PROCESSING, "guard digests.count == elements.count else", "guard digests.count <= elements.count else"),
    ("no bound of depth", PROCESSING, "guard path.steps.count <= depthLimit else", "guard path.steps.count <= depthLimit || true else"),
    ("_sd_alg left", PROCESSING, '    payload["_sd_alg"] = nil\n', ""),
    ("another hash for SHA-256", DISCLOSURE, "orThrow: .claimInvalid) else { return .sha256 }", "orThrow: .claimInvalid) else { return .sha384 }"),
    ("reserved names disclosed", DISCLOSURE, "guard !SDJWT.reservedNames.contains(name) else", "guard !SDJWT.reservedNames.contains(name) || true else"),
    ("salt that is no text", DISCLOSURE, "elements.first?.stringValue != nil", "elements.first != nil"),
    ("salt of no octets", DISCLOSURE, "SystemRandom.bytes(count: 16)", "SystemRandom.bytes(count: 0)"),
    ("empty parts", TOKEN, "guard parts.dropLast().allSatisfy({ !$0.isEmpty }) else", "guard parts.dropLast().allSatisfy({ !$0.isEmpty }) || true else"),
    ("one disclosure more than may be", TOKEN, "guard disclosureCount <= limits.disclosureCount else", "guard disclosureCount <= limits.disclosureCount + 1 else"),
    ("digests in the order of claims", ISSUE, "digests.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map", "digests.map"),
    ("credential that keeps what it must show", ISSUE, "guard !keepsOpen(path) else", "guard !keepsOpen(path) || true else"),
    ("parents left out", PRESENT, "paths.contains { own.contains($0) }", "paths.contains(own)"),
    ("bound again", PRESENT, 'guard !isBound else { throw JOSEError(.callerMisuse, "the token is bound already"', 'guard !isBound || true else { throw JOSEError(.callerMisuse, "the token is bound already"'),
    ("credential that discloses what it must show", VERIFIER, "processed.paths.first(where: SDJWT.keepsOpen)", "processed.paths.first(where: { _ in false })"),
    ("hash that is not accepted", VERIFIER, "guard hashes.contains(processed.hash) else", "guard hashes.contains(processed.hash) || true else"),
    ("no binding where it is required", VERIFIER, "guard token.isBound else {", "guard token.isBound || true else {"),
    ("binding where it is forbidden", VERIFIER, "guard !token.isBound else {", "guard !token.isBound || true else {"),
    ("proof for any audience", VERIFIER, CLAIM, CLAIM.replace(" else", ' || name == "aud" else')),
    ("proof for any nonce", VERIFIER, CLAIM, CLAIM.replace(" else", ' || name == "nonce" else')),
    ("proof for any presentation", VERIFIER, CLAIM, CLAIM.replace(" else", ' || name == "sd_hash" else')),
    ("proof of any type", VERIFIER, "type: .anyOf([SDJWT.keyBindingType])", "type: .notChecked"),
    ("proof of any age", VERIFIER, "maximumAge: requirement.maximumAge", "maximumAge: nil"),
]

SHAPE = "../JOSE/JWE/HPKE/ParsedJWE+HPKE.swift"
AGREEMENT = "../JOSE/JWE/HPKE/HPKEAgreement.swift"
PARSED = "../JOSE/JWE/ParsedJWE.swift"
MESSAGE = "../JOSE/JWE/JWE.swift"

HPKE = [
    ("enc where the suite encrypts", SHAPE, 'for name in ["enc", "ek"] where', 'for name in ["ek"] where'),
    ("ek where the suite encrypts", SHAPE, 'for name in ["enc", "ek"] where', 'for name in ["enc"] where'),
    ("psk_id that is not protected", SHAPE, 'for name in ["alg", "psk_id"] where', 'for name in ["alg"] where'),
    ("length of the content encryption key", SHAPE, "opened.count == byteCount else", "opened.count <= byteCount else"),
    ("vector where the suite encrypts", PARSED, "guard content.initializationVector.count == row?.initializationVectorByteCount ?? 0 else", "guard content.initializationVector.count == row?.initializationVectorByteCount ?? content.initializationVector.count else"),
    ("tag where the suite encrypts", PARSED, "guard content.authenticationTag.count == row?.authenticationTagByteCount ?? 0 else", "guard content.authenticationTag.count == row?.authenticationTagByteCount ?? content.authenticationTag.count else"),
    ("mode that the message chooses", AGREEMENT, "guard named == preSharedKey?.identifier else", "guard named == nil || named == preSharedKey?.identifier else"),
    ("short pre-shared key", AGREEMENT, "preSharedKey.key.count >= Self.minimumKeyByteCount", "preSharedKey.key.count >= 1"),
    ("pre-shared key without a name", AGREEMENT, "guard !preSharedKey.identifier.isEmpty else", "guard !preSharedKey.identifier.isEmpty || true else"),
    ("enc that is not in the info", AGREEMENT, "Array(contentEncryption.name.utf8) + [0xFF] + info", "[0xFF] + info"),
    ("recipient with ML-KEM beside a curve", MESSAGE, "guard !rows.contains(where: \\.hasLattice)", "guard !rows.contains(where: \\.hasLattice) || true"),
]

TYPES = "../JOSE/SDJWT/CredentialTypes.swift"
REMOTE = "../JOSE/SDJWT/RemoteSDJWTVerifier.swift"
NAMED = "../JOSE/Certificates/CertificateTrust+Issuer.swift"
METADATA = "../JOSE/RemoteKeys/IssuerMetadata.swift"
FOUND = "../JOSE/RemoteKeys/DiscoveredKeySet.swift"
ADDRESS = "../JOSE/HTTP/URI/URIComponents.swift"
QUERY = "../JOSE/SDJWT/CredentialQuery.swift"
CLAIMS = "../JOSE/SDJWT/ClaimsQuery.swift"

CREDENTIALS = [
    ("type that is null taken for one that is no text", TYPES, 'guard let type = claims["vct"], type != .null else', 'guard let type = claims["vct"] else'),
    ("type that is empty", TYPES, "guard let name = type.nameValue, !name.text.isEmpty else", "guard let name = type.nameValue else"),
    ("further types that are none", TYPES, "guard !names.isEmpty, names.count", "guard names.count"),
    ("further type that is no text", TYPES, "names.count == further.arrayValue?.count, ", ""),
    ("further type named twice", TYPES, "Set(names).count == names.count,", "Set(names).count <= names.count,"),
    ("further type that is empty", TYPES, "!$0.text.isEmpty && $0 != name", "$0 != name"),
    ("type that is a further one of itself", TYPES, "!$0.text.isEmpty && $0 != name", "!$0.text.isEmpty"),
    ("credential without a type, where none is asked for", VERIFIER, "try requireAccepted(CredentialTypes(processed.claims))", "if credentialTypes != nil { try requireAccepted(CredentialTypes(processed.claims)) }"),
    ("credential of another type", VERIFIER, "guard accepted.contains(where: { name in found.contains { $0 == name } }) else", "guard accepted.contains(where: { name in found.contains { $0 == name } }) || true else"),
    ("further types that nobody asked for", VERIFIER, "(acceptsFurtherTypes ? types.furtherTypes : [])", "types.furtherTypes"),
    ("token that is no credential, where types are asked for", VERIFIER, "} else if credentialTypes != nil {", "} else if credentialTypes == [] {"),
    ("remote verifier that forgets the types", REMOTE, "(verifier.credentialTypes, verifier.acceptsFurtherTypes) = (credentialTypes, acceptsFurtherTypes)", "verifier.acceptsFurtherTypes = acceptsFurtherTypes"),
    ("remote verifier that takes no further types", REMOTE, "(verifier.credentialTypes, verifier.acceptsFurtherTypes) = (credentialTypes, acceptsFurtherTypes)", "verifier.credentialTypes = credentialTypes"),
    ("remote verifier that forgets the binding", REMOTE, "keyBinding: keyBinding, hashes: hashes)", "keyBinding: .ignored, hashes: hashes)"),
    ("remote verifier that forgets the hashes", REMOTE, "keyBinding: keyBinding, hashes: hashes)", "keyBinding: keyBinding)"),
    ("certificate that names another issuer", NAMED, "guard isNamed else", "guard isNamed || true else"),
    ("certificate of a token without an issuer", NAMED, 'guard let issuer else { throw ClaimsUnderRule.missing("iss") }', "guard let issuer else { return }"),
    ("certificate for a host without TLS", NAMED, 'url?.hasScheme("https") == true ? url?.host : nil', "url?.host"),
    ("certificate for a URI in other letters", NAMED, "case .uri(let uri): issuer == uri", "case .uri(let uri): issuer.text.hasSameBytesIgnoringASCIICase(as: uri)"),
    ("issuer of credentials at an address", METADATA, "guard components.isPublic(plainHTTP) else", "guard components.isPublic(plainHTTP) || true else"),
    ("keys of a credential's issuer at an address", METADATA, "!publicName || url.isPublic(plainHTTP)", "!publicName || url.isPublic(plainHTTP) || true"),
    ("metadata of another issuer", METADATA, "guard WireName(named) == issuer else", "guard WireName(named) == issuer || true else"),
    ("keys in two places", FOUND, "case (let keys?, nil):", "case (let keys?, _):"),
    ("keys in metadata kept longer than these", FOUND, "headers: answer.headers, body", "headers: HTTPHeaderFields(), body"),
    ("this machine taken for a public one", ADDRESS, "guard !isLoopback else { return plainHTTP == .loopback }", "guard !isLoopback else { return true }"),
    ("address of IPv6 taken for a name", ADDRESS, "[0x2D, 0x2E, 0x5F].contains($0)", "[0x2D, 0x2E, 0x3A, 0x5B, 0x5D, 0x5F].contains($0)"),
    ("escape in a host", ADDRESS, "[0x2D, 0x2E, 0x5F].contains($0)", "[0x25, 0x2D, 0x2E, 0x5F].contains($0)"),
    ("name below localhost", ADDRESS, 'guard let last = labels.last, !last.elementsEqual("localhost".utf8) else', "guard let last = labels.last else"),
    ("localhost in other letters", ADDRESS, "host.asciiLowercased.utf8.split", "host.utf8.split"),
    ("address of IPv4 taken for a name", ADDRESS, r"return !last.allSatisfy(\.isASCIIDigit) && ", "return "),
    ("hexadecimal address taken for a name", ADDRESS, ' && !last.starts(with: "0x".utf8)', ""),
    ("names of credentials twice in a query", QUERY, 'guard Set(names).count == names.count else { throw Self.malformed("credentials") }', ""),
    ("set of credentials that the query doesn't have", QUERY, "ids.allSatisfy({ !$0.isEmpty && $0.allSatisfy(names.contains) }),", "ids.allSatisfy({ !$0.isEmpty }),"),
    ("set of credentials with more than names", QUERY, "zip(ids, options).allSatisfy({ $0.count == $1.arrayValue?.count })", "zip(ids, options).allSatisfy({ $0.count <= $1.arrayValue?.count ?? 0 })"),
    ("set of credentials that need not be there", QUERY, 'if try Self.bool(set["required"], "credential_sets") ?? true {', 'if try Self.bool(set["required"], "credential_sets") ?? true || true {'),
    ("set of credentials that must be there", QUERY, 'if try Self.bool(set["required"], "credential_sets") ?? true {', 'if try Self.bool(set["required"], "credential_sets") ?? false {'),
    ("several presentations for one", QUERY, "texts.count == 1 || credential.mayBeSeveral", "texts.count == 1 || credential.mayBeSeveral || true"),
    ("presentation that is no text", QUERY, "!texts.isEmpty, texts.count == value.arrayValue?.count,", "!texts.isEmpty,"),
    ("credential that is not presented", QUERY, "?? credentials.allSatisfy {", "?? credentials.contains {"),
    ("set of credentials that is presented in part", QUERY, "$0.contains { $0.allSatisfy(found.contains) }", "$0.contains { $0.contains(where: found.contains) }"),
    ("presentation of another type", QUERY, "guard let type, credential.types.contains(type) else", "guard let type, credential.types.contains(type) || true else"),
    ("presentation without its holder", QUERY, "guard !credential.needsHolder || presentation.keyBinding != nil else", "guard !credential.needsHolder || presentation.keyBinding != nil || true else"),
    ("holder that only a query asks for", QUERY, '"require_cryptographic_holder_binding") ?? true', '"require_cryptographic_holder_binding") ?? false'),
    ("credential of another format", QUERY, "guard format == SDJWT.credentialType else", "guard format == SDJWT.credentialType || true else"),
    ("types that are no texts", QUERY, "types.allSatisfy({ $0.stringValue != nil }) else", "types.contains(where: { $0.stringValue != nil }) else"),
    ("claims of a query with the same name", QUERY, 'guard Set(ids).count == ids.count else { throw malformed("claims") }', ""),
    ("claims without names beside sets of names", QUERY, "ids.count == claims?.count, ", ""),
    ("set of claims with more than names", QUERY, "zip(sets, arrays).allSatisfy({ $0.count == $1.arrayValue?.count })", "zip(sets, arrays).allSatisfy({ $0.count <= $1.arrayValue?.count ?? 0 })"),
    ("claims that are not of the set", QUERY, "for query in credential.claims where query.id.map(set.contains) == true {", "for query in credential.claims {"),
    ("refusal by the last set of claims", QUERY, "refusal = refusal ?? error", "refusal = error"),
    ("name of a claim with other letters", CLAIMS, 'guard object["id"] == nil || id.map(CredentialQuery.isIdentifier) == true else', 'guard object["id"] == nil || id != nil else'),
    ("path with more than steps", CLAIMS, "guard !path.isEmpty, path.count == steps.count else", "guard !path.isEmpty else"),
    ("values that can't be compared", CLAIMS, "values?.allSatisfy(Self.isComparable) ?? true else", "values != nil || true else"),
    ("claim that is not shown", CLAIMS, "guard !selected.isEmpty, !selections.contains(nil) else", "guard !selections.contains(nil) else"),
    ("value of another kind on the way", CLAIMS, "guard !selected.isEmpty, !selections.contains(nil) else", "guard !selected.isEmpty else"),
    ("claim of another value", CLAIMS, "guard selected.contains(where: { found in values.contains { Self.areSame($0, found) } }) else", "guard selected.contains(where: { found in values.contains { Self.areSame($0, found) } }) || true else"),
    ("every value of a claim asked for", CLAIMS, "guard selected.contains(where: { found in values", "guard selected.allSatisfy({ found in values"),
    ("number for a truth value", CLAIMS, "case (.bool(let one), .bool(let other)): one == other", "case (.bool(let one), .number(let other)): one == (other.int64 == 1)"),
]

LIST = "../JOSE/StatusLists/StatusList.swift"
REFERENCE = "../JOSE/StatusLists/StatusReference.swift"
LIST_TOKEN = "../JOSE/StatusLists/StatusListToken.swift"
LISTS = "../JOSE/StatusLists/StatusLists.swift"
STATUS_POLICY = "../JOSE/StatusLists/StatusPolicy.swift"
POLICY = "../JOSE/JWT/JWTPolicy.swift"

STATUSES = [
    ("status of three bits read", LIST, "let width = Int(exactly: bits), Self.widths.contains(width),", "let width = Int(exactly: bits), (1...8).contains(width),"),
    ("status of three bits made", LIST, "guard Self.widths.contains(bits) else", "guard (1...8).contains(bits) else"),
    ("status list of nothing", LIST, "guard !octets.isEmpty else", "guard !octets.isEmpty || true else"),
    ("status list longer than those that are read", LIST, "(count - 1) >> exponent < Limits", "(count - 1) >> exponent <= Limits"),
    ("status list longer than the caller reads", LIST, "byteLimit: limits.statusListByteCount", "byteLimit: Limits.default.statusListByteCount"),
    ("status beyond the list", LIST, "guard index >= 0, index < count else { return nil }", "guard index >= 0, index < count else { return .valid }"),
    ("status of more bits than there are", LIST, "guard status.rawValue <= mask else", "guard status.rawValue <= mask || true else"),
    ("status added to the one before", LIST, "octets[octet] & ~(mask << shift) | status", "octets[octet] | status"),
    ("first status in the most significant bits", LIST, "(index & last) * bits)", "(last - (index & last)) * bits)"),
    ("index below 0", REFERENCE, "guard index >= 0, (try? URI", "guard (try? URI"),
    ("status at what is no URI", REFERENCE, "guard index >= 0, (try? URIComponents(parsing: uri)) != nil else", "guard index >= 0 else"),
    ("status that names no list", REFERENCE, '.integer(Int.self) else {\n      throw Self.invalid', '.integer(Int.self) else {\n      return nil'),
    ("status of a token that is null", REFERENCE, 'guard let status = claims["status"], !status.isNull else', 'guard let status = claims["status"] else'),
    ("status list of another URI", LIST_TOKEN, "subject == uri else", "subject == uri || true else"),
    ("status list of another type", LIST_TOKEN, "policy.type = .anyOf([StatusList.type])", "policy.type = .notChecked"),
    ("status list for the tokens' audience", LIST_TOKEN, "(policy.subject, policy.acceptsSubject, policy.audience) = (nil, nil, .notChecked)", "(policy.subject, policy.acceptsSubject) = (nil, nil)"),
    ("status list about the tokens' subject", LIST_TOKEN, "(policy.subject, policy.acceptsSubject, policy.audience) = (nil, nil, .notChecked)", "policy.audience = .notChecked"),
    ("status list from the future", LIST_TOKEN, "policy.status) = (nil, true, [],", "policy.status) = (nil, false, [],"),
    ("status list no longer than other tokens", LIST_TOKEN, "max(policy.limits.tokenByteCount, policy.limits.messageByteCount)", "policy.limits.tokenByteCount"),
    ("status list kept for no time", LIST_TOKEN, "seconds > 0, seconds <= 1e12 else", "seconds >= 0, seconds <= 1e12 else"),
    ("status list kept for longer than can be counted", LIST_TOKEN, "seconds > 0, seconds <= 1e12 else", "seconds > 0 else"),
    ("status list that lives shorter than it is kept", LIST_TOKEN, "lifetime >= seconds, lifetime <= 315_576_000 else", "lifetime <= 315_576_000 else"),
    ("status list without TLS", LISTS, "guard plainHTTP.permits(uri) else", "guard plainHTTP.permits(uri) || true else"),
    ("status list in an answer that is none", LISTS, "guard answer.status == 200 else", "guard answer.status != 0 else"),
    ("status list past its end", LISTS, "if let expiration = known.token.expiration, now >= expiration.advanced(by: verifier.policy.leeway) { return false }", ""),
    ("status list from before the clock was set back", LISTS, "guard now >= known.requested else { return false }", ""),
    ("old status list without a failure", LISTS, "|| afterFailure && now < known", "|| now < known"),
    ("old status list for ever", LISTS, "|| afterFailure && now < known.freshEnd.advanced(by: times.staleIfError)", "|| afterFailure"),
    ("ttl from when the list came", LISTS, "min(token.issuedAt, requested).advanced(by: timeToLive)", "requested.advanced(by: timeToLive)"),
    ("status list kept as long as it says", LISTS, "min(end, requested.advanced(by: times.greatestMaximumAge))", "end"),
    ("fields of the answer left out", LISTS, "directives.freshness ?? times.maximumAge.inSeconds", "times.maximumAge.inSeconds"),
    ("status list asked for without a pause", LISTS, "if entry.request == nil, mayAsk, served", "if entry.request == nil, served"),
    ("older status list in place of a newer one", LISTS, "let latest = known ?? token", "let latest = token"),
    ("status list renewed twice at a time", LISTS, "if entry.request == nil, mayAsk, served", "if mayAsk, served"),
    ("status list renewed too soon", LISTS, "min(times.refreshAhead.inSeconds, time * 0.2)", "times.refreshAhead.inSeconds"),
    ("status lists without number", LISTS, "if entries.count >= max(1, times.listCount), entries[uri] == nil {", "if entries.count >= max(1, times.listCount), entries[uri] != nil {"),
    ("status list whose end is farthest forgotten", LISTS, "end < $0.freshEnd", "end > $0.freshEnd"),
    ("status list forgotten while it is asked for", LISTS, "entries.filter { $0.value.request == nil }", "entries"),
    ("index beyond the list", LISTS, 'throw JOSEError(.claimInvalid, "the token\'s index is beyond the status list", name: "status")', "return .valid"),
    ("no status where it is required", STATUS_POLICY, "guard !isRequired else", "guard !isRequired || true else"),
    ("token that is suspended", STATUS_POLICY, "guard status == .valid else", "guard status != .invalid else"),
    ("status that is not looked up", POLICY, "case .status: try status.check(claims)", "case .status: break"),
    ("status looked up of a token that has expired", POLICY, "case type, binding, presence, issuer, audience, subject, expiration, notBefore, issuedAt, lifetime, age, rules,\n      status", "case type, status, binding, presence, issuer, audience, subject, expiration, notBefore, issuedAt, lifetime, age, rules"),
]

FRAME = "../JOSE/Compression/Zlib.swift"
STREAM = "../JOSE/Compression/Deflate.swift"
BLOCK = "../JOSE/Compression/DeflateBlock.swift"
MATCHES = "../JOSE/Compression/MatchFinder.swift"
LENGTHS = "../JOSE/Compression/CodeLengths.swift"

COMPRESSION = [
    ("frame of fewer octets than it takes", FRAME, "guard data.count >= 6,", "guard data.count >= 2,"),
    ("frame of another method", FRAME, "data[0] & 0x0F == 8, ", ""),
    ("frame of a longer window", FRAME, "data[0] >> 4 <= 7, ", ""),
    ("frame with a preset dictionary", FRAME, "data[1] & 0x20 == 0,", ""),
    ("frame whose check is wrong", FRAME, "% 31 == 0", "% 31 >= 0"),
    ("frame of another content", FRAME, "guard data.suffix(4).elementsEqual(bigEndian(adler32(content))) else", "guard data.suffix(4).elementsEqual(bigEndian(adler32(content))) || true else"),
    ("checksum from its other end", FRAME, "[24, 16, 8, 0].map", "[0, 8, 16, 24].map"),
    ("checksum modulo another number", FRAME, "(a % 65_521, b % 65_521)", "(a % 65_536, b % 65_536)"),
    ("checksum reduced too seldom", FRAME, "(a, b) = (a % 65_521, b % 65_521)\n    }", "}\n    (a, b) = (a % 65_521, b % 65_521)"),
    ("octet before a longer match left out", STREAM, "if held != nil { emit(.literal(data[place - 1])) }", ""),
    ("last block of many that isn't the last", STREAM, "writeBlock(isLast: true)", "writeBlock(isLast: symbols.count < symbolsPerBlock / 2)"),
    ("parts that are all the last", BLOCK, "isLast && rest.isEmpty ? 1 : 0", "isLast ? 1 : 0"),
    ("part that begins within an octet", BLOCK, "      writer.fillByte()\n", ""),
    ("length without its complement", BLOCK, "part.count ^ 0xFFFF", "part.count"),
    ("block that is never stored", BLOCK, "if storedBits < min(ownBits, fixedBits) {", "if storedBits < 0 {"),
    ("block without codes of its own", BLOCK, "} else if fixedBits <= ownBits {", "} else if fixedBits <= ownBits || true {"),
    ("codewords of lengths with more than 7 bits", BLOCK, "Self.completed(counts), limit: 7)", "Self.completed(counts), limit: 15)"),
    ("codewords of literals with more than 15 bits", BLOCK, "Self.completed(literalCounts), limit: 15)", "Self.completed(literalCounts), limit: 40)"),
    ("zeros in a run of 139", BLOCK, "length != 0 ? 6 : 138", "length != 0 ? 6 : 139"),
    ("codewords with their last bit first", BLOCK, "(0..<length).reduce(0) { $0 << 1 | codeword >> $1 & 1 }", "codeword"),
    ("codewords beyond their limit", LENGTHS, "for _ in 0..<limit {", "for _ in 0...limit {"),
    ("codeword of no bit", LENGTHS, "for symbol in symbols { lengths[symbol] = 1 }", ""),
    ("coins of too small a value", LENGTHS, "bought = 2 * (bought - own)", "bought = 2 * bought - own"),
    ("match from beyond the window", MATCHES, "place - candidate <= Self.windowSize,", "place - candidate <= Self.windowSize + 1,"),
    ("match longer than a symbol says", MATCHES, "min(Self.lengths.upperBound, data.count - place)", "data.count - place"),
]

# What the tests are called that must notice.
GROUPS = [
    (r"JOSETests\.(SDJWT|KeyBinding)", DISCLOSURES),
    (r"JOSETests\.HPKETests|JOSETests\.UnwrapFailure|PureJOSEVectorTests\.VectorFile", HPKE),
    (r"JOSETests\.(Credential|CertificateToken|IssuerMetadata)", CREDENTIALS),
    (r"JOSETests\.StatusList", STATUSES),
    (r"JOSETests\.(Deflate|Inflate|StatusListTests)", COMPRESSION),
]
