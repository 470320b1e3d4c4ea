# Cells for python: the text before a line "%%" is run in one module, the last expression's value is
# shown, then 0 or 1 is printed.
def __sbx_cells():
    import ast, sys, traceback

    def run(text):
        tree = ast.parse(text, "<cell>")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<cell>", "exec"), globals())
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), globals()) if last else None
        if value is not None:
            print(repr(value))

    source, sys.stdin = sys.stdin, open("/dev/null")
    cell, more = [], True
    while more:
        line = source.readline()
        more = line != ""
        if more and line.rstrip("\n") != "%%":
            cell.append(line)
            continue
        if more or cell:
            status = 0
            try:
                run("".join(cell))
            except SystemExit:
                raise
            except BaseException:
                traceback.print_exc()
                status = 1
            sys.stderr.flush()
            print("%%" + str(status), flush=True)
        cell = []


__sbx_cells()
