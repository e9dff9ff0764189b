numbers = list(map(int, input().split()))
largest = 0
for i, one in enumerate(numbers):
    for other in numbers[i + 1 :]:
        largest = max(largest, one + other)
print(largest)
