# SPDX-License-Identifier: Apache-2.0
"""Read the source of checks and refuse what would let a check compare a value with its own copy."""

import ast

# Ways around the rules below, which no check needs: names looked up as text, code from text, the caller's frame.
_DETOURS = ("getattr", "vars", "globals", "locals", "eval", "exec", "compile", "__import__", "open")
_DETOUR_MODULES = ("importlib", "inspect", "gc", "runpy", "pathlib", "io", "yaml")
_DETOUR_ATTRIBUTES = ("__dict__", "__globals__", "__builtins__", "__subclasses__", "_getframe", "modules")
# What a check may use of ours; only checks of links and of the site, which are about the register, may use more.
_OURS = ("cdna_evidence.checks", "cdna_evidence.witnesses", "cdna_evidence.descriptors")
_ABOUT_OURSELVES = ("checks/links/", "checks/site/")

# What judge may not reach for: it has everything it needs in its two arguments.
_WORLD = ("os", "subprocess", "pathlib", "io", "socket", "urllib", "requests", "importlib", "ctypes", "glob")


def problems(source, filename):
    """Return one text a problem, each with line and the reason.

    An `observe`, with every function of its module that it reaches, may not read `cdna.targets`, an ALL_CAPS constant
    of `cdna`, or the register's package; neither may what else the module holds, where observe could pick it up. A
    `judge` may not call anything of `cdna` or look at the world. Nothing may be looked up behind the back of these rules.

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
    told = {text.split(": ", 1)[0] for text in found}
    elsewhere = _constants_read(tree, names, filename, "module")
    found += [text for text in elsewhere if text.split(": ", 1)[0] not in told]
    found += _detours(tree, names, filename)
    return list(dict.fromkeys(found))


def _detours(tree, names, filename):
    """Return what would reach a constant, or a claim's file, without naming it."""
    free = any(part in filename.replace("\\", "/") for part in _ABOUT_OURSELVES)
    found = []
    for node in ast.walk(tree):
        what = None
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            what = f"everything of {node.module}"
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for module in _modules(node):
                ours = module.startswith("cdna_evidence.") and not module.startswith(_OURS)
                if not free and (module.split(".")[0] in _DETOUR_MODULES or ours):
                    what = what or module
        elif isinstance(node, ast.Name) and node.id in _DETOURS and node.id not in names and not free:
            what = node.id
        elif isinstance(node, ast.Attribute) and node.attr in _DETOUR_ATTRIBUTES and not free:
            what = node.attr
        if what:
            found.append(f"{filename}:{node.lineno}: a check may not use {what}: it hides what is read")
    return found


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
    for node in ast.walk(tree):  # another name for a module is that module
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            origin = _origin(node.value, names)
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if origin and isinstance(target, ast.Name):
                    names.setdefault(target.id, origin)
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
                who = "the module" if cls == "module" else f"{cls}.observe"
                found.append(f"{filename}:{node.lineno}: {who} reads the constant {origin} of the model")
    return found


def _world_read(function, names, filename, cls):
    found = []
    for node in ast.walk(function):
        if isinstance(node, (ast.Name, ast.Attribute)):
            origin = _origin(node, names)
            if origin and (_of_model(origin) or origin.split(".")[0] in _WORLD or _of_ours(origin)):
                found.append(f"{filename}:{node.lineno}: {cls}.judge uses {origin}: judge compares, and nothing else")
    return found
