"""Layouts: one text for one layout, a pattern where it is true of every tensor it stands for."""
import hashlib

from lamella.layout import WHOLE, Held, Layout, Sizes, layout_id, layout_text, make_layout, path_pattern


def test_equal_layers_are_one_line_and_an_odd_one_is_said_path_by_path():
    split = Held((0,))
    equal = [("layers.%d.w" % i, split) for i in range(64)] + [("norm.w", WHOLE)]
    assert make_layout(Sizes(tp_size=4), equal).sharded == (("layers.*.w", 0),)
    odd = [("layers.0.w", WHOLE), ("layers.1.w", split), ("layers.10.w", split), ("layers.2.w", split)]
    assert make_layout(Sizes(tp_size=4), odd).sharded == (("layers.1.w", 0), ("layers.10.w", 0), ("layers.2.w", 0))


def test_the_text_is_the_one_typescript_writes():
    held = [("b.w", Held((1,))), ("a%.w", Held((0,))), ("e.w", Held((), ((0, 152_064),))), ("k.w", Held((), (), 2))]
    layout = make_layout(Sizes(tp_size=4), held, [("l.1.rope", "l.0.rope")])
    text = "lamella-layout\t1\nsizes\t4\t1\t1\t1\ns\ta%25.w\t0\ns\tb.w\t1\np\te.w\t0\t152064\nr\tk.w\t2\na\tl.1.rope\tl.0.rope\n"
    assert layout_text(layout) == text
    assert layout_id(layout) == hashlib.sha256(text.encode()).hexdigest()


def test_the_rank_is_no_part_of_a_layout_and_nothing_known_is_one_rank():
    assert layout_id(Layout(Sizes(tp_size=4, tp_rank=3))) == layout_id(Layout(Sizes(tp_size=4)))
    assert layout_text(Layout()) == "lamella-layout\t1\nsizes\t1\t1\t1\t1\n"


def test_only_indices_become_stars():
    assert path_pattern("h.0.10.layer_2.w") == "h.*.*.layer_2.w"
