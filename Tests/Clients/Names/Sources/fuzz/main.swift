import FuzzTargets

print("the client's fuzz")
