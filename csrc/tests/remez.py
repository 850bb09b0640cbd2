"""Prints the polynomials of csrc/vecmath.h.  Needs mpmath.

Remez's exchange: solve for the polynomial whose weighted error alternates on n + 2 points, move the points to the error's
extrema on a grid, repeat.
"""
from mpmath import cos, exp, fabs, floor, log, lu_solve, matrix, mp, mpf, nstr, pi, sin, sqrt

mp.dps = 60


def remez(f, degree, low, high, weight, rounds=12, grid=800):
    """(coefficients, largest weighted error) of the minimax polynomial of f on [low, high]."""
    n = degree + 2
    points = [(low + high) / 2 + (high - low) / 2 * cos(pi * (n - 1 - i) / (n - 1)) for i in range(n)]
    everywhere = [low + (high - low) * mpf(i) / grid for i in range(grid + 1)]
    for _ in range(rounds):
        a, y = matrix(n, n), matrix(n, 1)
        for i, x in enumerate(points):
            for j in range(degree + 1):
                a[i, j] = x ** j
            a[i, degree + 1] = (-1) ** i / weight(x)
            y[i] = f(x)
        c = lu_solve(a, y)
        error = [(sum(c[j] * x ** j for j in range(degree + 1)) - f(x)) * weight(x) for x in everywhere]
        peaks = []                                # one index for each run of one sign
        for i, e in enumerate(error):
            if peaks and error[peaks[-1]] * e > 0:
                peaks[-1] = i if fabs(e) > fabs(error[peaks[-1]]) else peaks[-1]
            else:
                peaks.append(i)
        if len(peaks) < n:
            break
        while len(peaks) > n:
            peaks.pop(0 if fabs(error[peaks[0]]) < fabs(error[peaks[-1]]) else -1)
        points = [everywhere[i] for i in peaks]
    return [c[j] for j in range(degree + 1)], max(map(fabs, error))


def series(f, *low_terms):
    """f of z, or its power series where z is too small for f's differences."""
    return lambda z: sum(c * z ** k for k, c in enumerate(low_terms)) if z < mpf(10) ** -12 else f(z)


def show(name, result):
    coefficients, error = result
    print(f"{name}: error {nstr(error, 3)}")
    for k, c in enumerate(coefficients):
        print(f"  {k} {float(c).hex()}")


if __name__ == "__main__":
    margin = mpf("1.0000001")
    show("exp_f32, 2**f", remez(lambda x: mpf(2) ** x, 6, -margin / 2, margin / 2, lambda x: 1 / mpf(2) ** x))
    bound = log(2) / 2 * margin
    show("exp_f64, (e**r - 1 - r) / r**2",
         remez(lambda x: mpf(1) / 2 + x / 6 if fabs(x) < mpf(10) ** -12 else (exp(x) - 1 - x) / x ** 2, 9, -bound, bound,
               lambda x: max(x * x, mpf("0.03"))))
    high = floor(log(2) * mpf(2) ** 42) / mpf(2) ** 42
    print(f"ln 2: {float(high).hex()} {float(log(2) - high).hex()}   log2 e: {float(1 / log(2)).hex()}")
    bound = (pi / 4 * mpf("1.0001")) ** 2
    show("sin_series of z = r * r, (sin r / r - 1) / z",
         remez(series(lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 6, mpf(1) / 120), 5, mpf(0), bound,
               lambda z: max(z, mpf("0.01"))))
    show("cos_series of z = r * r, (cos r - 1 + z / 2) / z**2",
         remez(series(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, mpf(1) / 24, -mpf(1) / 720), 5, mpf(0), bound,
               lambda z: max(z * z, mpf("0.003"))))
    left = pi / 2
    for bits in (31, 29, 53):
        part = floor(left / mpf(2) ** (floor(log(left, 2)) - bits + 1)) * mpf(2) ** (floor(log(left, 2)) - bits + 1)
        print(f"pi / 2, {bits} bits: {float(part if bits < 53 else left).hex()}")
        left -= part
