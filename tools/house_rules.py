"""The house style, as far as a program can check it.

    python tools/house_rules.py [files]

Prints each violation as file:line and ends with 1 if there was one.
"""

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("rushlight", "tests", "conformance", "benchmarks", "clients", "examples", "tools")
LONGEST_FILE = 600
LONGEST_LINE = 120
LONGEST_FUNCTION = 60
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def check(source: str):
    """Yield `(line, violation)` for everything in a file's source that breaks a rule."""
    tree = ast.parse(source)
    yield from check_length(source)
    yield from check_docstring(tree)
    yield from check_functions(tree)
    yield from check_comments(source)
    yield from check_formulas(tree)


def check_length(source):
    lines = len(source.splitlines())
    if lines >= LONGEST_FILE:
        yield lines, f"file of {lines} lines: keep it under {LONGEST_FILE}, one noun a file"


def check_docstring(tree):
    if tree.body and not ast.get_docstring(tree):
        yield 1, "no module docstring: the first line says what lives here"


def check_functions(tree):
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            lines = node.end_lineno - node.lineno + 1 - docstring_lines(node)
            if lines >= LONGEST_FUNCTION:
                yield node.lineno, f"function {node.name} of {lines} lines: keep it under {LONGEST_FUNCTION}"


def docstring_lines(node):
    """How long a function's docstring is: examples do not make a function harder to read."""
    first = node.body[0]
    return first.end_lineno - first.lineno + 1 if ast.get_docstring(node) else 0


def check_comments(source):
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, text = token.start[0], token.string.lstrip("#").strip()
        if UNFINISHED.search(text):
            yield line, f"unfinished: {text}"
        elif token.line.lstrip().startswith("#") and is_code(text):
            yield line, f"commented-out code: {text}"


def is_code(text):
    """Whether a comment's text is a Python statement rather than a sentence."""
    if text.endswith(":"):
        text += " pass"
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return False
    return any(is_statement(node) for node in body)


def is_statement(node):
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    if isinstance(node, (ast.Return, ast.Raise, ast.Delete, ast.AnnAssign, ast.Pass)):
        # `return early` and `shapes: (N, C)` are English.
        return isinstance(getattr(node, "value", None), (ast.Call, ast.BinOp, ast.Constant))
    return True


def check_formulas(tree):
    """A gradient formula runs on tensors and may be differentiated in turn: `np` has no place in it."""
    functions = {node.name: node for node in tree.body if isinstance(node, FUNCTIONS)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "gradient":
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                formula = functions.get(argument.id, argument) if isinstance(argument, ast.Name) else argument
                yield from (
                    (part.lineno, f"{part.id} in a gradient formula: use operators and ops")
                    for part in ast.walk(formula)
                    if isinstance(part, ast.Name) and part.id in ("np", "numpy")
                )


# the one file that may know an error by its text: what NumPy and Python raise carries nothing else
COMPLAINTS = "errors.complaints"
SEARCHES = {
    "startswith",
    "endswith",
    "find",
    "index",
    "count",
    "partition",
    "replace",
    "removeprefix",
    "search",
    "match",
}


def check_recognition(tree):
    """An error carries its fix and its stage from the site that raises it: nobody looks for words in its text."""
    known = set()
    for function in ast.walk(tree):
        if isinstance(function, FUNCTIONS):
            errors = {each.name for each in ast.walk(function) if isinstance(each, ast.ExceptHandler)} | {"error"}
            texts = {
                target.id
                for each in ast.walk(function)
                if isinstance(each, ast.Assign) and is_text_of(each.value, errors, set())
                for target in each.targets
                if isinstance(target, ast.Name)
            }
            known |= {
                each.lineno
                for each in ast.walk(function)
                if any(is_text_of(part, errors, texts) for part in searched(each))
            }
    yield from ((line, f"an error known by its text: raise it with a stage, or see {COMPLAINTS}") for line in known)


def is_text_of(node, errors, texts):
    """Whether an expression is the text of an error: `str(error)`, `error.args[0]`, or a name for one of them."""
    if isinstance(node, ast.Name):
        return node.id in texts
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "args":
        return isinstance(node.value.value, ast.Name) and node.value.value.id in errors
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
        return isinstance(node.args[0], ast.Name) and node.args[0].id in errors
    return False


def searched(node):
    """The expressions in which a comparison or a call looks for words."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SEARCHES:
        return [node.func.value, *node.args]
    return []


# Packages in the order of a call; a module imports from its own row and from those before it. How an error is raised
# with its fix comes first, since every package raises some; words about histories, calls and layers come with these.
ORDER = (
    ("native",),
    ("errors",),
    ("core", "errors.lost"),
    ("errors.history", "errors.steps"),
    ("autograd.graph", "autograd.modes", "autograd.handles", "autograd.saved", "autograd.refused"),
    ("ops", "errors.calls"),
    ("autograd",),
    ("nn", "errors.modules"),
    ("multiprocessing",),
    ("optim", "distributions", "utils", "overrides"),
    ("func",),
    ("profiler", "autograd.profiler", "autograd.profiler_util", "utils.tensorboard"),
    ("serialization", "futures", "_jit_internal"),
    ("fx", "jit", "compiler"),
    ("_dynamo", "_inductor", "export", "onnx"),
    ("distributed", "_C"),
    ("compat", "cli"),
)


def rank_of(module):
    """The row of a module of the package, by the longest name that fits; None for the public face."""
    rows = [(len(name), row) for row, names in enumerate(ORDER) for name in names if is_in(module, name)]
    return max(rows)[1] if rows else None


def is_in(module, name):
    return module == name or module.startswith(name + ".")


def check_imports(module, source):
    """Imports go one way, at the level of modules; what is imported inside a function may point anywhere."""
    own = rank_of(module)
    for node in ast.parse(source).body:
        if own is None or not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("rushlight"):
            continue
        base = node.module.removeprefix("rushlight").lstrip(".")
        for name in node.names:
            rank = rank_of(f"{base}.{name.name}".lstrip("."))
            if rank is not None and rank > own:
                yield node.lineno, f"{module} imports {base or name.name}, which comes after it"


def check_native(source):
    """Yield `(line, violation)` for a file of the native layer."""
    yield from check_length(source)
    lines = source.splitlines()
    if not lines or not lines[0].startswith("// "):
        yield 1, "no first line: a comment says what lives here"
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE:
            yield number, f"line of {len(line)} characters: keep it under {LONGEST_LINE}"
        if UNFINISHED.search(line):
            yield number, f"unfinished: {line.strip()}"


def files():
    for folder in FOLDERS:
        yield from sorted((ROOT / folder).rglob("*.py"))
    for suffix in ("*.cpp", "*.h"):
        yield from sorted((ROOT / "rushlight").rglob(suffix))


def check_file(path):
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return sorted(check_native(source))
    found = list(check(source))
    package = ROOT / "rushlight"
    if path.is_relative_to(package):
        module = ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__")
        found += check_imports(module, source)
        if module != COMPLAINTS:
            found += check_recognition(ast.parse(source))
    return sorted(found)


def main(arguments):
    broken = 0
    for path in [Path(argument).resolve() for argument in arguments] or files():
        for line, violation in check_file(path):
            shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
            print(f"{shown}:{line}: {violation}")
            broken += 1
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
