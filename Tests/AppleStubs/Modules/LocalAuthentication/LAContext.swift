// Apple and the C libraries document these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// How the user was authenticated, or will be.
open class LAContext: NSObject {}
