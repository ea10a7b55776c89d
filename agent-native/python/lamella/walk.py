"""Reads the structure of models, prints it and sends it with a sighting.

    python -m lamella.walk --config config.json --name Qwen/Qwen3-32B     the model of a Hugging Face configuration, on the meta device
    python -m lamella.walk --script train.py                              every model a script leaves alive
    python -m lamella.walk --script train.py --with-forward               and what calls what in their first forwards (forward.py)
"""
import argparse
import json
import os
import sys
import time
from queue import Queue
from threading import Thread
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from .build import BuildError, build, read_config
from .canonical import Shape, shape_id
from .forward import Forwards, forward_of_built, write_forward
from .forward_text import forward_text
from .identity import Identity, identify
from .layout import Layout, Sizes, layout_id
from .parallel import process_sizes, served
from .process import sighting
from .reader import Snapshot, children_of, snapshot
from .roots import find_roots
from .totals import totals
from .tree_text import tree_text
from .upload import Server, UploadError, find_server, send
from .wire import SHAPE_UPLOAD, SIGHTINGS_UPLOAD, SOURCE_WALK, encode, shape_upload
from .version import AGENT_VERSION
from .watch import Settings, Watcher, settings


class Walked(NamedTuple):
    identity: Identity
    shape: Shape
    layout: Layout
    shape_id: str
    notes: Tuple[str, ...]


def walk(model: Any, name: str = "", notes: Tuple[str, ...] = ()) -> Walked:
    """Reads one model. `notes` come from whoever made it."""
    sizes = process_sizes()
    identity = _identity(model, name, sizes)
    return _walked(identity, snapshot(model, identity.config_bits, sizes), notes)


def _identity(model: Any, name: str, sizes: Sizes) -> Identity:
    return identify(model, name, served([model] + [child for _, child in children_of(model)]), sizes.pp_size)


def _walked(identity: Identity, taken: Snapshot, notes: Tuple[str, ...] = ()) -> Walked:
    grouped: Dict[str, List[str]] = {}
    for path, note in taken.notes:
        grouped.setdefault(note, []).append(path or "the root")
    told = tuple("%s: %s" % (paths[0] + (" and %d more" % (len(paths) - 1) if len(paths) > 1 else ""), note) for note, paths in grouped.items())
    return Walked(identity, taken.shape, taken.layout, shape_id(taken.shape), notes + told)


def send_walked(server: Server, walked: Walked, script: str = "") -> Dict[str, str]:
    """Sends the shape, then a sighting with source walk; answers their upload ids."""
    shape = shape_upload(walked.shape, walked.layout, walked.identity.model_key, walked.identity.architecture, walked.shape_id, walked.identity.run_id)
    seen = {"agent_version": AGENT_VERSION, "source": SOURCE_WALK, "sightings": [sighting(walked.identity, walked.layout.sizes, walked.shape_id, script)]}
    return {"shapes": send(server, "shapes", encode(SHAPE_UPLOAD, shape)), "sightings": send(server, "sightings", encode(SIGHTINGS_UPLOAD, seen))}


def run_script(path: str, arguments: List[str]) -> Dict[str, Any]:
    """Runs `path` as the main program and returns its namespace, which keeps its models alive. A script that exits on its own has run to its end."""
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        raise BuildError("%s cannot be read: %s" % (path, error.strerror))
    code = compile(source, path, "exec")
    namespace = {"__name__": "__main__", "__file__": path, "__builtins__": __builtins__}
    sys.argv = [path] + arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        exec(code, namespace)  # noqa: S102 - running the user's script is what was asked for
    except SystemExit as exit_:
        if exit_.code not in (None, 0):
            raise BuildError("%s ended with %r before its models could be read" % (path, exit_.code))
    return namespace


def watch_script(path: str, arguments: List[str], times: Settings, tell: Callable[[Walked], None]) -> Tuple[str, ...]:
    """Runs a script and tells of its models while it runs, each once it is complete and again when its structure changes. Answers what went wrong."""
    arrived: "Queue[Optional[Walked]]" = Queue()

    def deliver(model: Any, taken: Snapshot) -> None:
        arrived.put(_walked(_identity(model, "", taken.layout.sizes), taken))

    def hand_on() -> None:
        for walked in iter(arrived.get, None):
            tell(walked)

    watcher, teller = Watcher(times, deliver), Thread(target=hand_on, name="lamella-tell", daemon=True)
    watcher.start()
    teller.start()
    try:
        namespace = run_script(path, arguments)
        time.sleep(times.settle)  # a script that ends sooner than its last model settles
        while watcher.step() > times.settle:  # it is looking just now
            time.sleep(0.05)
        del namespace
    finally:
        watcher.stop()
        arrived.put(None)
        teller.join()
    skipped = tuple("skipped %s: %s" % (one.class_name, one.why) for one in watcher.skipped)
    return skipped + tuple("%s: %s" % (model or "the watcher", problem) for model, problem in watcher.problems.items())


def config_of_name(name: str) -> str:
    """The config.json of a Hugging Face name that is a local folder or in the local cache; nothing is downloaded."""
    if os.path.isfile(os.path.join(name, "config.json")):
        return os.path.join(name, "config.json")
    try:
        from huggingface_hub import try_to_load_from_cache

        found = try_to_load_from_cache(name, "config.json")
    except Exception:  # not installed, or a name the hub's client does not take
        found = None
    if isinstance(found, str):
        return found
    raise BuildError("no configuration of %s on this machine (nothing is downloaded): give it with --config CONFIG.json" % name)


def _models(args: argparse.Namespace, forwards: List[Dict[str, Any]]) -> Tuple[List[Walked], List[str]]:
    """The models, and what was passed over. With --with-forward their forward documents are added to `forwards`."""
    if args.script:
        with Forwards(args.with_forward, args.with_source) as observed:
            namespace = run_script(args.script, args.arguments)
        found = find_roots()
        skipped = ["skipped %s%s: %s" % (one.class_name, " ×%d" % one.count if one.count > 1 else "", one.why) for one in found.skipped]
        if not found.models:
            raise BuildError("%s left no model with a parameter alive: keep the model in a global variable" % args.script)
        walked = [walk(model, args.name if i == 0 else "") for i, model in enumerate(found.models)]  # --name names the largest
        documents, notes = observed.documents(found.models, args.name)
        forwards.extend(documents)
        del namespace
        return walked, skipped + notes
    built = build(read_config(args.config or config_of_name(args.name)), args.name)
    if args.with_forward:
        forwards.append(forward_of_built(built.model, args.name, args.with_source))
    return [walk(built.model, args.name, built.notes)], []


def _forward_path(path: str, number: int) -> str:
    """Of the document of the `number`-th model, 0 the largest: forward.json, forward.2.json, …"""
    stem, ending = os.path.splitext(path)
    return path if number == 0 else "%s.%d%s" % (stem, number + 1, ending)


def _as_json(walked: Walked, uploads: Dict[str, str]) -> Dict[str, Any]:
    counts = totals(walked.shape)
    return {
        "name": walked.identity.name,
        "architecture": walked.identity.architecture,
        "rootClass": walked.identity.root_class,
        "modelKey": walked.identity.model_key,
        "shapeId": walked.shape_id,
        "layoutId": layout_id(walked.layout),
        "parameters": counts.parameters,
        "weightBytes": counts.weight_bytes,
        "modules": counts.modules,
        "distinctModules": len(walked.shape.modules),
        "unsizedTensors": counts.unsized_tensors,
        "aliases": len(walked.shape.aliases),
        "notes": list(walked.notes),
        "uploads": uploads,
    }


def _print(text: str) -> None:
    """To whoever reads; one who has read enough (`| head`) stops neither the reading of models nor the sending."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")


def main(argv: Optional[list] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m lamella.walk",
        description="Read the structure of a model without its weights, print it as a tree and send it with a sighting.",
        epilog="example: python -m lamella.walk --config config.json --name Qwen/Qwen3-32B && npx lamella model Qwen/Qwen3-32B --text",
    )
    parser.add_argument("--config", metavar="CONFIG.json", help="Hugging Face configuration; its model is built on the meta device, without network")
    parser.add_argument("--name", default="", help="name of the model, e.g. Qwen/Qwen3-32B; alone: a local folder, or a name in the local Hugging Face cache")
    parser.add_argument("--script", metavar="FILE.py", help="run a script and read the models it leaves alive (arguments of the script go to the end)")
    parser.add_argument("--live", action="store_true", help="with --script: send each model while the script runs, as soon as it is complete, and when it changes")
    forward_help = "add what calls what in one forward, from the source and from the forward that a script makes (of a configuration: on the meta device)"
    parser.add_argument("--with-forward", action="store_true", help=forward_help)
    parser.add_argument("--with-source", action="store_true", help="with --with-forward: put the source text of each forward into the document too")
    parser.add_argument("-o", "--output", metavar="FILE", help="with --with-forward: write the document there, for `lamella import TRACE --forward FILE`")
    parser.add_argument("--no-send", action="store_true", help="only print")
    server_help = "data folder of the embedded stack to send to (default: LAMELLA_URL, LAMELLA_DATA_DIR, or .lamella/ here or above)"
    parser.add_argument("--data-dir", default="", help=server_help)
    parser.add_argument("--json", action="store_true", help="print totals and upload ids as JSON instead of the tree")
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENT", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if bool(args.config) + bool(args.script) > 1 or not (args.config or args.script or args.name):
        parser.error("give one of --config, --script, or --name alone")
    if args.arguments and not args.script:
        parser.error("%s: only a script takes arguments" % args.arguments[0])
    if args.live and (not args.script or args.name):
        parser.error("--live goes with --script, and without --name: models are told apart by their configurations")
    if (args.with_source or args.output) and not args.with_forward:
        parser.error("--with-source and --output go with --with-forward")
    script = args.script or ""
    forwards: List[Dict[str, Any]] = []
    answers: List[Dict[str, Any]] = []
    failures: List[str] = []

    def tell(walked: Walked) -> None:
        if not args.json:
            _print(tree_text(walked.shape._replace(aliases=walked.shape.aliases + walked.layout.aliases), walked.identity.name).rstrip("\n"))
            for note in walked.notes:
                print("note: " + note, file=sys.stderr)
        uploads: Dict[str, str] = {}
        try:
            uploads = send_walked(server, walked, script) if server else {}
        except (UploadError, ValueError) as error:  # ValueError: a name the contract does not take. The other models are sent all the same.
            failures.append("%s: %s" % (walked.identity.name, error))
        answers.append(_as_json(walked, uploads))
        if server and uploads and not args.json:
            _print("sent to %s/t/%s: shape %s, model key %s" % (server.url, server.tenant, walked.shape_id[:12], walked.identity.model_key))

    try:
        server = None if args.no_send else find_server(args.data_dir)  # before the work: nobody should wait for a model to learn that no server is known
        if args.live:
            times = settings(os.environ)
            if isinstance(times, str):
                raise BuildError(times)
            with Forwards(args.with_forward, args.with_source) as observed:
                skipped = list(watch_script(script, args.arguments, times._replace(enabled=True), tell))
            forwards.extend(observed.finished())
        else:
            models, skipped = _models(args, forwards)
            for walked in models:
                tell(walked)
        for number, document in enumerate(forwards):
            if args.output:
                write_forward(document, _forward_path(args.output, number))
            if not args.json:
                _print(forward_text(document).rstrip("\n"))
    except (BuildError, UploadError, ValueError, OSError) as error:
        print("lamella.walk: %s" % error, file=sys.stderr)
        return 1
    for line in skipped:
        print("note: " + line, file=sys.stderr)
    for line in failures:
        print("lamella.walk: " + line, file=sys.stderr)
    if args.json:
        told = {"models": answers, "skipped": skipped, "failures": failures}
        _print(json.dumps(dict(told, forwards=forwards) if args.with_forward else told, indent=2))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
