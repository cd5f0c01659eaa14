"""The verbs that answer a question: cache, check, upgrade, diagnose."""

from __future__ import annotations

import codecs
import json
import re
import sys
from pathlib import Path

import click

from infercompat.cli.common import EXIT_UNKNOWN, answering, stack_options, usage


@click.command()
@click.argument("target", metavar="MODEL|CONFIG.json|FILE.gguf")
@click.option("--context", "contexts", help="Tokens, several with commas. Default: 8192,32768,131072.")
@click.option("--cache-dtype", default="bf16", show_default=True, help="Element type of the cache.")
@click.option("--part", "parts", multiple=True, metavar="PART=DTYPE", help="Element type of one part: k, v, latent, index, convolution, state.")
@click.option("--architecture", help="Class name, for a config that does not say it.")
@click.option("--engine", metavar="ENGINE[@VERSION]", help="What this engine allocates, per rank.")
@click.option("--tp", type=click.IntRange(1, 4096), help="Tensor-parallel ranks.")
@click.option("--max-model-len", type=click.IntRange(1, 1 << 40), help="The longest sequence that the engine is started for.")
@click.option("--available", help="Cache memory of one rank, such as 24.54GiB, for the tokens and sequences that fit.")
@click.option("--set", "settings", multiple=True, metavar="FACT=VALUE", help="A setting of the engine, by fact name.")
@click.option("--hardware", help="Id of a hardware record: what the engine logs when it starts there. With --available, for its defaults alone.")
@click.option("--gpus", type=click.IntRange(1, 4096), help="Devices; ranks of tensor parallelism where --tp is left out.")
@click.option("--checkpoint", help="Hub id of the weights that are loaded. Default: the first that the record lists.")
@click.option("--weights", help="Loaded weights of one device, such as 15.2GiB, in place of those that are worked out.")
@click.option("--draft", metavar="MODEL|CONFIG.json", help="A model or head that drafts: its layers' cache, too, as the engine keeps it.")
@click.option("--image", metavar="WIDTHxHEIGHT", help="Also the tokens that an image of this size takes.")
@click.option("--audio", type=float, metavar="SECONDS", help="Also the tokens that a sound of this length takes.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def cache(context: click.Context, target: str, contexts: str | None, cache_dtype: str, as_json: bool, **options) -> None:
    """Says what a model's cache takes: layers by kind, naive and ideal bytes, and what an engine allocates. Exit status 4 when unknown.

    With --engine and --hardware also what the engine logs when it starts there: weights as check counts them (or --weights) and the
    engine's own share, an interval from measured logs, leave an interval of tokens and sequences. --set gpu_memory_utilization=0.9 and
    the like say how much of the device it may take.
    """
    from infercompat.answer import cache as answer
    from infercompat.answer import inputs
    from infercompat.answer.question import NotInCatalog, Refused
    from infercompat.units import ELEMENT_BYTES

    if cache_dtype not in ELEMENT_BYTES:
        usage(f"there is no cache dtype {cache_dtype}; known: {', '.join(ELEMENT_BYTES)}")
    about_engine = {"--set": "settings", "--available": "available", "--draft": "draft", "--hardware": "hardware"}
    about_device = {"--gpus": "gpus", "--checkpoint": "checkpoint", "--weights": "weights"}
    idle = [flag for flag, option in (about_engine | about_device).items() if options[option]]
    if idle and not options["engine"]:
        usage(f"{idle[0]} says how an engine is started: give --engine, too")
    loaded = [flag for flag, option in about_device.items() if options[option]]
    if loaded and not options["hardware"]:
        usage(f"{loaded[0]} says what a device holds: give --hardware, too")
    if loaded and options["available"]:
        usage(f"--available says what is left for the cache, and {loaded[0]} what it follows from: give one of them")
    try:
        subject = _subject(context, target, options["architecture"])
        draft = _subject(context, options["draft"], None) if options["draft"] else None
        engine = inputs.engine_of(answering(context).catalog, options, draft) if options["engine"] else None
        begun = _begun(context, subject, engine, cache_dtype, options)
        how = begun.how if begun else engine
        data = answer.as_data(subject, _lengths(contexts, answer.CONTEXTS), cache_dtype, inputs.parts_of(options["parts"]), how)
        if begun and data["cache"]:
            from infercompat.answer.startup import startup_part

            data["cache"]["engine"]["startup"] = startup_part(begun, subject.architecture, cache_dtype)
        data |= inputs.media_of(subject, options["image"], options["audio"])
    except NotInCatalog as error:
        data = answer.unlisted(target, str(error))
    except Refused as error:
        usage(str(error))
    if as_json:
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        answer.print_data(data)
        inputs.print_media(data)
    sys.exit(0 if data["cache"] else EXIT_UNKNOWN)


def _begun(context: click.Context, subject, engine, dtype: str, options):
    """The engine as it starts on a device; None where no device is named, or where the memory that it leaves is given."""
    from infercompat.answer import inputs

    if engine is None or not options["hardware"] or options["available"]:
        return None
    from infercompat.answer.check import Assessor
    from infercompat.answer.startup import start

    weights = inputs.bytes_of(options["weights"]) if options["weights"] else None
    return start(Assessor(answering(context)), subject, engine, dtype, options | {"weights": weights})


def _lengths(text: str | None, default: tuple[int, ...]) -> list[int]:
    if text is None:
        return list(default)
    lengths = [part.strip().replace("_", "") for part in text.split(",")]
    wrong = [part for part in lengths if not part.isdecimal() or len(part) > 13 or not 0 < int(part) < 1 << 40]
    if wrong:
        short = re.fullmatch(r"([1-9][0-9]{0,5})([km])", wrong[0], re.IGNORECASE)
        hint = f"; write {int(short[1]) << {'k': 10, 'm': 20}[short[2].lower()]}" if short else ""
        usage(f"--context takes token counts such as 8192,32768, not {wrong[0] or 'an empty place'}{hint}")
    return [int(part) for part in lengths]


def _subject(context: click.Context, target: str, architecture: str | None):
    from infercompat.answer import asking
    from infercompat.answer import cache as answer

    path = Path(target)
    if path.suffix in (".json", ".gguf") or path.is_file():
        try:
            return answer.of_file(path, architecture)
        except answer.Unreadable as error:
            usage(str(error))
    return answer.of_record(asking.model_named(answering(context).catalog, target))


@click.command()
@click.argument("model", required=False)
@click.argument("engine", required=False, metavar="[ENGINE[@VERSION]]")
@stack_options
@click.option("--all", "verbose", is_flag=True, help="Show every gotcha that is just missed.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def check(context: click.Context, model: str | None, engine: str | None, **options) -> None:
    """Says whether MODEL can be served by ENGINE on this stack, why, what bites, and what to change.

    Leave either out to ask over all of them. Exit status 0 yes, 1 no, 2 usage, 3 only-with, 4 unknown.
    """
    from infercompat.answer import asking, reply
    from infercompat.answer.check import Assessor
    from infercompat.answer.question import NotInCatalog, Refused

    products = answering(context)
    assessor = Assessor(products)
    data = None
    try:
        questions = asking.questions(products, model, engine, options)
    except NotInCatalog as error:
        questions, data = [], reply.unlisted(products.catalog, str(model), engine, str(error))
    except Refused as error:
        usage(str(error))
    if len(questions) == 1:
        data = reply.as_data(reply.reply(assessor, questions[0]), assessor)
    if data is not None:
        if options["as_json"]:
            click.echo(json.dumps(data, indent=2, ensure_ascii=False))
        else:
            reply.print_data(data, options["verbose"])
        sys.exit(reply.EXIT_STATUS[data["verdict"]])
    rows = [reply.as_data(reply.reply(assessor, question), assessor) for question in questions]
    if options["as_json"]:
        click.echo(json.dumps({"schema_version": 1, "answers": rows}, indent=2, ensure_ascii=False))
        return
    for row in rows:
        asked = row["question"]
        click.echo(f"{row['verdict']:<10} {asked['model']:<28} {asked['engine']:<18} {asked['version']:<12} {row['reason'][:120]}")


@click.command()
@click.argument("engine")
@click.argument("before", metavar="FROM")
@click.argument("after", metavar="TO")
@click.option("--model", required=True, help="The model that is served, such as gemma-3-27b.")
@stack_options
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def upgrade(context: click.Context, engine: str, before: str, after: str, model: str, **options) -> None:
    """Says what changes for one stack between two versions of ENGINE: support, defaults, components, gotchas that leave and arrive."""
    from infercompat.answer import asking
    from infercompat.answer import upgrade as answer
    from infercompat.answer.check import Assessor
    from infercompat.answer.question import Refused

    products = answering(context)
    try:
        question = asking.questions(products, model, engine, options)[0]
        data = answer.upgrade(Assessor(products), question, before, after)
    except Refused as error:
        usage(str(error))
    if options["as_json"]:
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        answer.print_data(data)


MOST_BYTES = 256 << 20
"""What a paste has at most; a device that never ends has more."""
ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""The mark that a text begins with, and how it is written then. The shell of Windows writes UTF-16."""


def _pasted(path: Path) -> str:
    """The text of a file, a pipe or standard input; what is none is told in one line."""
    try:
        if str(path) == "-":
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with path.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
    except OSError as error:
        usage(f"{path} cannot be read: {error.strerror}")
    if len(content) > MOST_BYTES:
        usage(f"{path} has more than {MOST_BYTES >> 20} MiB: give the command, the versions and the part of the log around the fault")
    encoding = next((encoding for mark, encoding in ENCODINGS if content.startswith(mark)), "utf-8")
    if encoding == "utf-8" and b"\0" in content[:4096]:
        usage(f"{path} is no text: give the command, the versions or the log as text")
    return content.decode(encoding, "replace")


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, allow_dash=True))
@click.option("--command", "commands", multiple=True, type=click.Path(path_type=Path, allow_dash=True), help="A file with the serve command.")
@click.option("--versions", multiple=True, type=click.Path(path_type=Path, allow_dash=True), help="A file with package versions.")
@click.option("--log", "logs", multiple=True, type=click.Path(path_type=Path, allow_dash=True), help="A file with the log.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def diagnose(context: click.Context, files: tuple[Path, ...], as_json: bool, **more: tuple[Path, ...]) -> None:
    """Reads pasted commands, versions, machine reports, manifests and logs, in any mixture, and says which known faults they show.

    FILES may hold anything of these; - reads standard input, which is also read when no file is named.
    """
    from infercompat.answer import diagnose as answer

    paths = [*files, *(path for given in more.values() for path in given)] or [Path("-")]
    texts = [(str(path), _pasted(path)) for path in paths]
    data = answer.as_data(answer.diagnose(answering(context), texts))
    if as_json:
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        answer.print_data(data)
