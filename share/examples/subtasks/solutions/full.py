numbers = sorted(map(int, input().split()))
print(numbers[-2] + numbers[-1])
