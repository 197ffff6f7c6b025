package let name = "Benchmarking"
