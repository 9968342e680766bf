# SPDX-License-Identifier: Apache-2.0
"""Read the source of checks and refuse what would let a check compare a value with its own copy."""

import ast

# What judge may not reach for: it has everything it needs in its two arguments.
_WORLD = ("os", "subprocess", "pathlib", "io", "socket", "urllib", "requests", "importlib", "ctypes", "glob")


def problems(source, filename):
    """Return one text a problem, each with line and the reason.

    An `observe`, with every function of its module that it reaches, may not read `cdna.targets`, an ALL_CAPS constant
    of `cdna`, or the register's package; a `judge` may not call anything of `cdna` or look at the world.

    Args: source: text of one check module; filename: for the messages.
    """
    tree = ast.parse(source, filename)
    names = _imports(tree)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    constants = _constants(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for module in _modules(node):
                if module == "cdna.targets" or module.startswith("cdna_evidence.register"):
                    found.append(f"{filename}:{node.lineno}: a check module may not import {module}")
    for cls in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        methods = {node.name: node for node in cls.body if isinstance(node, ast.FunctionDef)}
        for function in _reached(methods.get("observe"), methods, functions, constants):
            found += _constants_read(function, names, filename, cls.name)
        for function in _reached(methods.get("judge"), methods, functions, constants):
            found += _world_read(function, names, filename, cls.name)
    return list(dict.fromkeys(found))


def _modules(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    module = node.module or ""
    return [module] + [f"{module}.{alias.name}" for alias in node.names]


def _imports(tree):
    """Local name -> dotted origin, for what comes from `cdna` or may reach out of the process."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.split(".")[0]] = alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def _constants(tree):
    """Module-level assignments: a name that observe reads may itself hold a constant of the model."""
    return {
        target.id: node
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _reached(start, methods, functions, constants):
    """The function itself and everything of the module that it can reach by name."""
    queue, seen = [start] if start else [], []
    while queue:
        node = queue.pop()
        if node in seen:
            continue
        seen.append(node)
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                for table in (functions, constants):
                    if part.id in table:
                        queue.append(table[part.id])
            elif isinstance(part, ast.Attribute) and part.attr in methods:
                if isinstance(part.value, ast.Name) and part.value.id == "self":
                    queue.append(methods[part.attr])
    return seen


def _origin(node, names):
    """Dotted origin of a name or attribute chain, or None."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id in names:
        return ".".join([names[node.id]] + parts[::-1])
    return None


def _of_model(origin):
    return origin is not None and (origin == "cdna" or origin.startswith("cdna."))


def _of_ours(origin):
    return origin.startswith("cdna_evidence") and not origin.startswith("cdna_evidence.checks")


def _constants_read(function, names, filename, cls):
    found = []
    for node in ast.walk(function):
        if isinstance(node, (ast.Name, ast.Attribute)):
            origin = _origin(node, names)
            if not _of_model(origin):
                continue
            if origin.startswith("cdna.targets") or any(
                part.isupper() and len(part) > 1 for part in origin.split(".")[1:]
            ):
                found.append(f"{filename}:{node.lineno}: {cls}.observe reads the constant {origin} of the model")
    return found


def _world_read(function, names, filename, cls):
    found = []
    for node in ast.walk(function):
        if isinstance(node, (ast.Name, ast.Attribute)):
            origin = _origin(node, names)
            if origin and (_of_model(origin) or origin.split(".")[0] in _WORLD or _of_ours(origin)):
                found.append(f"{filename}:{node.lineno}: {cls}.judge uses {origin}: judge compares, and nothing else")
    return found
