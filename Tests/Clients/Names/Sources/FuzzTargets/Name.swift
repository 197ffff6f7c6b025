package let name = "FuzzTargets"
