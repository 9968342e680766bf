# SPDX-License-Identifier: Apache-2.0
"""Turn the model's source into source for MicroPython, so that the same files can run in the reader's browser.

Three things change, and nothing else: annotations go; a NamedTuple class becomes a `namedtuple` call; an f-string
becomes a `format` call, whose rules both interpreters share. What the step does not know it refuses, with file and
line: the model is written in a plain subset, and a silent half-translation would be a second model.
"""

import ast
import pathlib

REFUSED = {
    ast.Match: "match",
    ast.AsyncFunctionDef: "async",
    ast.Await: "await",
    ast.TryStar: "except*",
    ast.Global: "global",
}


class NotPlain(ValueError):
    """Source outside the plain subset; the message names file, line and construct."""


def sources(root=None):
    """Return {path relative to the package's parent: MicroPython source} of the whole model.

    Args: root: directory of the package `cdna`; default the imported one.
    Raises: NotPlain: something that the step cannot carry over.
    """
    if root is None:
        import cdna

        root = cdna.__path__[0]
    root = pathlib.Path(root)
    found = {}
    for path in sorted(root.rglob("*.py")):
        found[path.relative_to(root.parent).as_posix()] = translate(path.read_text("utf-8"), str(path))
    return found


def translate(source, name="<model>"):
    """Return MicroPython source for one module.

    Args: source: text; name: file name for messages.
    Raises: NotPlain, SyntaxError.
    """
    tree = _Plain(name).visit(ast.parse(source, name))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


class _Plain(ast.NodeTransformer):
    def __init__(self, name):
        self.name = name

    def generic_visit(self, node):
        for kind, word in REFUSED.items():
            if isinstance(node, kind):
                self._refuse(node, word)
        return super().generic_visit(node)

    def visit_Module(self, node):
        self.generic_visit(node)
        _without_docstring(node)
        return node

    def visit_Import(self, node):
        self._refuse(node, "import of a module outside the model")

    def visit_ImportFrom(self, node):
        if node.module == "typing" and not node.level:
            return ast.parse("from collections import namedtuple").body[0]
        if not node.level and (node.module or "").split(".")[0] != "cdna":
            self._refuse(node, "import of a module outside the model")
        return node

    def visit_FunctionDef(self, node):
        if node.args.posonlyargs:
            self._refuse(node, "positional-only parameters")
        node.returns = None
        for argument in node.args.args + node.args.kwonlyargs + [node.args.vararg, node.args.kwarg]:
            if argument:
                argument.annotation = None
        self.generic_visit(node)
        _without_docstring(node)
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        if node.value is None:
            return None
        return ast.Assign([node.target], node.value)

    def visit_ClassDef(self, node):
        bases = [ast.unparse(base) for base in node.bases]
        if node.decorator_list or node.keywords:
            self._refuse(node, "a decorated class or a metaclass")
        if "NamedTuple" not in bases:
            self.generic_visit(node)
            _without_docstring(node)
            return node
        names = []
        for item in node.body:
            if isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant):
                continue
            if not isinstance(item, ast.AnnAssign) or item.value is not None:
                self._refuse(item, "a NamedTuple with methods or defaults")
            names.append(item.target.id)
        call = ast.Call(
            ast.Name("namedtuple", ast.Load()),
            [ast.Constant(node.name), ast.Tuple([ast.Constant(name) for name in names], ast.Load())],
            [],
        )
        return ast.Assign([ast.Name(node.name, ast.Store())], call)

    def visit_Subscript(self, node):
        if isinstance(node.slice, ast.Slice) and node.slice.step is not None:
            self._refuse(node, "a stepped slice")
        return self.generic_visit(node)

    def visit_Call(self, node):
        name = ast.unparse(node.func)
        if name == "zip" and node.keywords:
            self._refuse(node, "zip with strict")
        if name.split(".")[-1] in ("bit_length", "_replace", "_asdict"):
            self._refuse(node, name.split(".")[-1])
        return self.generic_visit(node)

    def visit_JoinedStr(self, node):
        template, values = "", []
        for part in node.values:
            if isinstance(part, ast.Constant):
                template += part.value.replace("{", "{{").replace("}", "}}")
                continue
            spec = ""
            if part.format_spec is not None:
                if not all(isinstance(piece, ast.Constant) for piece in part.format_spec.values):
                    self._refuse(node, "a computed format specification")
                spec = ":" + "".join(piece.value for piece in part.format_spec.values)
            template += "{" + ("" if part.conversion == -1 else "!" + chr(part.conversion)) + spec + "}"
            values.append(self.visit(part.value))
        return ast.Call(ast.Attribute(ast.Constant(template), "format", ast.Load()), values, [])

    def _refuse(self, node, what):
        raise NotPlain(f"{self.name}:{getattr(node, 'lineno', 0)}: {what} is not in the plain subset of the model")


def _without_docstring(node):
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        node.body = node.body[1:] or ([ast.Pass()] if not isinstance(node, ast.Module) else [])
