// Prints for each integer (arguments, or words on stdin, up to 18446744073709551615) whether it is prime, or its prime factors.
package main

import (
	"bufio"
	"fmt"
	"math/big"
	"math/bits"
	"os"
	"strconv"
)

func multiply(a, b, modulus uint64) uint64 {
	high, low := bits.Mul64(a, b)
	_, rest := bits.Div64(high%modulus, low, modulus)
	return rest
}

func isPrime(n uint64) bool {
	return new(big.Int).SetUint64(n).ProbablyPrime(0) // exact below 2^64
}

func divisor(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// A factor of a composite number, by Pollard's rho.
func factor(n uint64) uint64 {
	if n%2 == 0 {
		return 2
	}
	for c := uint64(1); ; c++ {
		next := func(x uint64) uint64 {
			square := multiply(x, x, n)
			if square >= n-c {
				return square - (n - c)
			}
			return square + c
		}
		slow, fast, found := uint64(2), uint64(2), uint64(1)
		for found == 1 {
			slow, fast = next(slow), next(next(fast))
			distance := slow - fast
			if fast > slow {
				distance = fast - slow
			}
			found = divisor(distance, n)
		}
		if found != n {
			return found
		}
	}
}

func factors(n uint64, found map[uint64]int) {
	switch {
	case n < 2:
	case isPrime(n):
		found[n]++
	default:
		one := factor(n)
		factors(one, found)
		factors(n/one, found)
	}
}

func describe(n uint64) string {
	found := map[uint64]int{}
	factors(n, found)
	if n < 2 {
		return "neither prime nor composite"
	}
	if found[n] == 1 {
		return "prime"
	}
	text := ""
	for len(found) > 0 {
		least := ^uint64(0)
		for prime := range found {
			least = min(least, prime)
		}
		if text != "" {
			text += " * "
		}
		text += strconv.FormatUint(least, 10)
		if found[least] > 1 {
			text += "^" + strconv.Itoa(found[least])
		}
		delete(found, least)
	}
	return text
}

func main() {
	words := os.Args[1:]
	if len(words) == 0 {
		input := bufio.NewScanner(os.Stdin)
		input.Split(bufio.ScanWords)
		for input.Scan() {
			words = append(words, input.Text())
		}
	}
	status := 0
	for _, word := range words {
		n, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			fmt.Fprintf(os.Stderr, "primes: %q is no whole number up to %d\n", word, ^uint64(0))
			status = 1
			continue
		}
		fmt.Printf("%d: %s\n", n, describe(n))
	}
	os.Exit(status)
}
