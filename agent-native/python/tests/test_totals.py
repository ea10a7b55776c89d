"""Counts of every subtree, held to the plainest means on random shapes: the tree unfolded, each tensor led through aliases to where it is held, and what is held
counted once. And the tree text of those shapes, held to TypeScript's byte for byte."""
import base64
import random

from repository import typescript

from lamella import wire
from lamella.canonical import Module, Shape, Tensor, shape_id
from lamella.layout import Layout
from lamella.totals import SubtreeTotals, Totals
from lamella.tree_text import tree_text

BYTES = {"float32": 4, "bfloat16": 2, "odd": 0}


class Object:
    """A module as a process holds it: held twice, it is one all the same."""

    def __init__(self, class_name, tensors, children):
        self.class_name, self.tensors, self.children = class_name, tensors, children


def random_model(seed):
    """Modules in an order in which each may hold earlier ones, also twice; the last is the root. Tensors come from a pool that all share."""
    draw = random.Random(seed)
    pool = [["w", draw.choice("ppbq"), draw.choice(sorted(BYTES)), tuple(draw.choices(range(1, 6), k=draw.randrange(3)))] for _ in range(8)]
    made = []
    for _ in range(draw.randrange(1, 10)):
        children = draw.choices(made[-4:], k=draw.randrange(4)) if made else []
        made.append(Object(draw.choice(["Layer", "Norm", "List"]), draw.choices(pool, k=draw.randrange(4)), children))
    return made[-1], draw.random() < 0.5


def shape_of(root, indexed):
    """As the reader reads it: what is met again is an alias of where it was met first, and what lies below an alias is none."""
    modules, rows, met, aliases = [], {}, {}, []

    def meet(thing, path, seen):
        if not seen and met.setdefault(id(thing), path) != path:
            if weighs(thing):  # what shares nothing but buffers is no alias of the shape
                aliases.append((path, met[id(thing)]))
            return True
        return seen

    def weighs(thing):
        return any(map(weighs, thing.tensors + thing.children)) if isinstance(thing, Object) else thing[1] != "b"

    def read(module, path, seen):
        for i, tensor in enumerate(module.tensors):
            meet(tensor, "%sw%d" % (path, i), seen)
        children = []
        for i, child in enumerate(module.children):
            name = "%d" % i if indexed else "child%d" % i
            children.append((name, read(child, path + name + ".", meet(child, path + name, seen))))
        tensors = tuple(Tensor("w%d" % i, *rest) for i, (_, *rest) in enumerate(module.tensors))
        row = Module(module.class_name, tensors, tuple(children))
        if row not in rows:
            rows[row] = len(modules)
            modules.append(row)
        return rows[row]

    top = read(root, "", False)
    return Shape(tuple(modules), top, tuple(aliases))


def unfolded(shape):
    """By path: the counts of its subtree."""
    targets = dict(shape.aliases)

    def held_at(path):
        steps = path.split(".")
        for end in range(len(steps), 0, -1):
            if ".".join(steps[:end]) in targets:
                return held_at(".".join([targets[".".join(steps[:end])]] + steps[end:]))
        return path

    counts = {}

    def visit(row, path):
        module = shape.modules[row]
        held = {held_at(path + tensor.name): tensor for tensor in module.tensors}
        paths = 1
        for name, child in module.children:
            below, more = visit(child, path + name + ".")
            held.update(below)
            paths += more
        sizes = []
        for tensor in held.values():
            elements = 1
            for size in tensor.dims:
                elements *= size
            if tensor.role != "b":
                sizes.append((elements if tensor.role == "p" else 0, elements * BYTES[tensor.dtype], tensor.dtype == "odd"))
        counts[path[:-1]] = Totals(sum(p for p, _, _ in sizes), sum(b for _, b, _ in sizes), paths, sum(u for _, _, u in sizes))
        return held, paths

    visit(shape.root, "")
    return counts


def random_shapes(count):
    seed = 0
    while count:
        seed += 1
        shape = shape_of(*random_model(seed))
        if len(shape.aliases) > 1:
            count -= 1
            yield seed, shape


def test_every_subtree_counts_what_its_unfolded_tensors_count():
    for seed, shape in random_shapes(400):
        counts, totals = unfolded(shape), SubtreeTotals(shape)
        stack = [("", shape.root, ())]
        while stack:
            path, row, held = stack.pop()
            assert totals.of(row, held) == counts[path], (seed, path)
            stack.extend(((path + "." if path else "") + name, child, totals.child(held, at)) for at, (name, child) in enumerate(shape.modules[row].children))


def test_what_another_stage_holds_counts_once():
    linear = Module("Linear", (Tensor("weight", "p", "float32", (10,)),), ())
    shape = Shape((linear, Module("Stage", (), (("head", 0), ("extra", 0)))), 1, (("head.weight", "embed.weight"), ("extra.weight", "embed.weight")))
    assert SubtreeTotals(shape).of(1, ()) == Totals(10, 40, 3, 0)


def test_the_tree_text_is_typescripts():
    shapes = [shape for _, shape in random_shapes(60)]
    requests = []
    for shape in shapes:
        upload = wire.shape_upload(shape, Layout(), "0123456789abcdef" * 2, "", shape_id(shape))
        requests.append({"kind": "shapes", "name": "a model", "base64": base64.b64encode(wire.encode(wire.SHAPE_UPLOAD, upload)).decode()})
    for shape, answer in zip(shapes, typescript("decode-uploads.ts", requests)):
        assert answer.get("tree") == tree_text(shape, "a model"), answer.get("problem")
