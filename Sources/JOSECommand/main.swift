print("jose")
