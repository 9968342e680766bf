# SPDX-License-Identifier: Apache-2.0
"""Whole-number expressions such as `(lane%16)*144+(lane//16)*16`, read and worked out without eval.

The operators and their order are Python's: | ^ & << >> + - * // % and unary minus, plus and ~, with parentheses,
and min(a, b) and max(a, b) clamp. Numbers are decimal or 0x. An expression is at most 1000 characters long and 50 parentheses deep; no step may leave
64 bits, and a shift is by 0 to 63. Whoever reads a file of expressions from a stranger gets an error, never a hang.
"""

LONGEST = 1000
DEEPEST = 50
LARGEST = 1 << 63

# Weakest first; all are left-associative.
_LEVELS = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "//", "%"))
_SYMBOLS = ("<<", ">>", "//", "|", "^", "&", "+", "-", "*", "%", "(", ")", "~", ",")
_CALLS = {"min": min, "max": max}
_DECIMAL = "0123456789"
_HEX = _DECIMAL + "abcdefABCDEF"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"


class ExpressionError(ValueError):
    """An expression that cannot be read or worked out. `column` counts from 1."""

    def __init__(self, message, column):
        super().__init__(f"column {column}: {message}")
        self.column = column


class Expression:
    """A parsed expression. Attributes: text; names: the variables it may use."""

    def __init__(self, text, names=("lane",)):
        self.text = text
        self.names = tuple(names)
        if len(text) > LONGEST:
            raise ExpressionError(f"{len(text)} characters: at most {LONGEST}", LONGEST + 1)
        self._tokens = _tokens(text, self.names)
        self._next = 0
        self._depth = 0
        self._code = []  # postfix: (kind, value, column)
        self._level(0)
        if self._next < len(self._tokens):
            kind, value, column = self._tokens[self._next]
            raise ExpressionError(f"unexpected {value!r}", column)

    def at(self, **values):
        """Return the value with the variables set, such as at(lane=3).

        Raises: ExpressionError: division by zero, a shift outside 0..63, or a step that leaves 64 bits.
        """
        stack = []
        for kind, value, column in self._code:
            if kind == "number":
                stack.append(value)
            elif kind == "name":
                stack.append(values[value])
            elif kind == "unary":
                stack.append(_checked({"-": -stack[-1], "~": ~stack[-1]}.get(value, stack[-1]), column))
                del stack[-2]
            else:
                right = stack.pop()
                stack.append(_checked(_apply(value, stack.pop(), right, column), column))
        return stack[0]

    def _peek(self):
        return self._tokens[self._next] if self._next < len(self._tokens) else ("end", "", len(self.text) + 1)

    def _level(self, level):
        if level == len(_LEVELS):
            self._unary()
            return
        self._level(level + 1)
        while True:
            kind, value, column = self._peek()
            if kind != "symbol" or value not in _LEVELS[level]:
                return
            self._next += 1
            self._level(level + 1)
            self._code.append(("binary", value, column))

    def _unary(self):
        kind, value, column = self._peek()
        if kind == "symbol" and value in ("-", "+", "~"):
            self._deeper(column)
            self._next += 1
            self._unary()
            self._depth -= 1
            self._code.append(("unary", value, column))
            return
        if kind == "symbol" and value == "(":
            self._deeper(column)
            self._next += 1
            self._level(0)
            closing, mark, at = self._peek()
            if mark != ")":
                raise ExpressionError(f"a parenthesis opened at column {column} is not closed", at)
            self._next += 1
            self._depth -= 1
            return
        if kind in ("number", "name"):
            self._next += 1
            self._code.append((kind, value, column))
            return
        if kind == "call":
            self._call(value, column)
            return
        raise ExpressionError(
            f"{', '.join(['a number', *self.names])} or ( must stand here" + (f", not {value!r}" if value else ""), column
        )

    def _call(self, name, column):
        """Read the two arguments of min or max."""
        self._deeper(column)
        self._next += 1
        for mark in ("(", ",", ")"):
            kind, found, at = self._peek()
            if found != mark:
                raise ExpressionError(f"{name} takes two values, as in {name}(lane+1, 63): {mark} must stand here", at)
            self._next += 1
            if mark != ")":
                self._level(0)
        self._depth -= 1
        self._code.append(("binary", name, column))

    def _deeper(self, column):
        self._depth += 1
        if self._depth > DEEPEST:
            raise ExpressionError(f"nested more than {DEEPEST} deep", column)


def parse(text, names=("lane",)):
    """Return the Expression of a text.

    Args: text: such as "lane*16"; names: variables that it may use.
    Raises: ExpressionError: it cannot be read; the message says where and why.
    """
    return Expression(text, names)


def _tokens(text, names):
    found, i = [], 0
    while i < len(text):
        character = text[i]
        if character in " \t\r\n":
            i += 1
            continue
        start = i
        if character in _DECIMAL:
            digits = _DECIMAL
            if text[i : i + 2] in ("0x", "0X"):
                i, digits = i + 2, _HEX
            while i < len(text) and text[i] in digits:
                i += 1
            word = text[start:i]
            if word in ("0x", "0X") or (
                i < len(text) and (text[i] in _LETTERS or text[i] in _DECIMAL or text[i] == ".")
            ):
                raise ExpressionError("a whole number, decimal or 0x, must stand here", start + 1)
            value = int(word, 16 if digits is _HEX else 10) if len(word) <= 20 else LARGEST
            if value >= LARGEST:
                raise ExpressionError("the number does not fit 64 bits", start + 1)
            found.append(("number", value, start + 1))
            continue
        if character in _LETTERS:
            while i < len(text) and text[i] in _LETTERS + _DECIMAL:
                i += 1
            word = text[start:i]
            if word in _CALLS and word not in names:
                found.append(("call", word, start + 1))
                continue
            if word not in names:
                raise ExpressionError(f"unknown name {word[:40]!r}: {', '.join(names) or 'numbers only'}", start + 1)
            found.append(("name", word, start + 1))
            continue
        symbol = next((item for item in _SYMBOLS if text.startswith(item, i)), None)
        if symbol is None:
            hint = "; // divides whole numbers" if character == "/" else ""
            raise ExpressionError(f"unexpected {character!r}{hint}", start + 1)
        if symbol == "*" and text.startswith("**", i):
            raise ExpressionError("there is no **; write << for powers of two", start + 1)
        found.append(("symbol", symbol, start + 1))
        i += len(symbol)
    return found


def _apply(operator, left, right, column):
    if operator in _CALLS:
        return _CALLS[operator](left, right)
    if operator in ("//", "%"):
        if right == 0:
            raise ExpressionError("division by zero", column)
        return left // right if operator == "//" else left % right
    if operator in ("<<", ">>"):
        if not 0 <= right <= 63:
            raise ExpressionError(f"a shift by {right}: 0..63", column)
        return left << right if operator == "<<" else left >> right
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if operator == "&":
        return left & right
    return left ^ right if operator == "^" else left | right


def _checked(value, column):
    if not -LARGEST <= value < LARGEST:
        raise ExpressionError("the value leaves 64 bits", column)
    return value
