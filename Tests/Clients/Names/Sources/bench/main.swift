import Benchmarking

print("the client's bench")
