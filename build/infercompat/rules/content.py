"""Rules about what records say: prose, conditions, models, snapshots, gotchas."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from infercompat import condition, prose
from infercompat.answer.question import components
from infercompat.answer.spoken import ALWAYS, words_in, words_of_engines
from infercompat.derive import LOOKUP_NAMES, Unknown
from infercompat.join.features import slip_of
from infercompat.join.flips import of_settings, tells_of
from infercompat.products import Products
from infercompat.records import Path, Record, walk
from infercompat.rules.base import Finding, rule
from infercompat.rules.examples import FLIPPED, GOTCHA, MODEL, RECIPE, SNAPSHOT, changed
from infercompat.shape import nearest
from infercompat.versions import BACKENDS, SELECTION


def _prose_of(record: Record) -> Iterator[tuple[Path, str]]:
    for path, value in walk(record.data):
        if isinstance(value, str) and "{{" in value and path[:2] != ("config", "values"):
            yield path, value


@rule(
    code="PRO001",
    name="unknown-placeholder",
    what="A {{ placeholder }} names a value that is derived for its record, and one of the listed filters.",
    why="Figures in prose come from the computation; a placeholder that leads nowhere would print nothing.",
    bad=MODEL + "notes: |\n  Holds {{ cache.naive.byte_per_token | bytes }} a token. # PRO001\n",
    good=MODEL + "notes: |\n  Holds {{ cache.naive.bytes_per_token | bytes }} a token.\n",
)
def unknown_placeholder(products: Products) -> Iterator[Finding]:
    for record in products.catalog.records.values():
        for path, text in _prose_of(record) if record.live else ():
            for mark in prose.placeholders(text):
                span = record.document.span_inside(path, mark.start, mark.end)
                if mark.fault:
                    yield span, mark.fault, "The form is {{ name | filter }}."
                    continue
                derived = products.derived.get(record.id)
                if derived is None:
                    yield span, f"nothing is derived for {record.id}", "Placeholders stand in the notes of models."
                elif isinstance(derived, Unknown):
                    yield span, "the model's config cannot be read, so nothing is derived", f"Missing: {', '.join(derived.missing)}."
                elif derived.lookup(mark.name) is None:
                    if mark.name in LOOKUP_NAMES:
                        yield span, f"this model's config gives no {mark.name}", "Say it in words, or take the statement out."
                        continue
                    close = nearest(mark.name, LOOKUP_NAMES)
                    yield span, f"there is no value {mark.name}", f"Did you mean {close}?" if close else f"Names: {', '.join(LOOKUP_NAMES)}."


def _conditions(record: Record) -> Iterator[tuple[Path, dict]]:
    for field in ("when", "clean_when"):
        if record.kind == "gotcha" and field in record.data:
            yield (field,), record.data[field]
    if record.kind == "requirement" and "matters_when" in record.data:
        yield ("matters_when",), record.data["matters_when"]
    for index, claim in enumerate(record.data.get("claims", ()) if record.kind == "support" else ()):
        if "when" in claim:
            yield ("claims", index, "when"), claim["when"]
    lists = {"engine": (BACKENDS, SELECTION), "recipe": ("images", "flags")}
    for name in lists.get(record.kind, ()):
        for index, entry in enumerate(record.data.get(name, ())):
            if "when" in entry:
                yield (name, index, "when"), entry["when"]
    for fact, setting in (record.data.get("settings") or {}).items() if record.kind == "engine" else ():
        if "touches" in setting:
            yield ("settings", fact, "touches"), setting["touches"]
        for index, entry in enumerate(setting.get("defaults", ())):
            if "when" in entry:
                yield ("settings", fact, "defaults", index, "when"), entry["when"]


@rule(
    code="CON001",
    name="condition-does-not-parse",
    what="Every leaf of a condition names a declared fact, a relation that parses, a requirement, or properties of layers or linear layers, "
    "with a value its type can hold.",
    why="A misspelt fact would be missing for ever, and the gotcha a maybe for everybody.",
    bad=GOTCHA + "when: {tensor_paralel: 2}  # CON001\n",
    good=GOTCHA + "when: {tensor_parallel: 2}\n",
)
def condition_does_not_parse(products: Products) -> Iterator[Finding]:
    words = {**products.catalog.vocabulary["words"], "component": components(products.catalog)}
    for record in products.catalog.records.values():
        for path, tree in _conditions(record):
            for fault in condition.parse(tree, path, words)[1]:
                place = tuple(fault.path)
                span = record.document.span_inside(place, *fault.inside) if fault.inside else record.document.key_span(place)
                yield span, fault.message, fault.help


@rule(
    code="CON002",
    name="condition-never-true",
    what="A condition can be true for some stack.",
    why="One that contradicts itself never warns anybody.",
    bad=GOTCHA + "when: {all: [{tensor_parallel: 2}, {tensor_parallel: 4}]}  # CON002\n",
    good=GOTCHA + "when: {any: [{tensor_parallel: 2}, {tensor_parallel: 4}]}\n",
)
def condition_never_true(products: Products) -> Iterator[Finding]:
    for record in products.catalog.records.values():
        for path, tree in _conditions(record):
            parsed, faults = condition.parse(tree, path)
            for fault in () if faults or parsed is None else condition.never_true(parsed):
                yield record.document.key_span(tuple(fault.path)), fault.message, fault.help or "any: may be meant."


@rule(
    code="CON003",
    name="unknown-method",
    what="A way to draft that a condition or a workaround names is a word that an engine's record lists or a snapshot has read.",
    why="A misspelt one is never what anybody sets, so the record would never apply.",
    bad=GOTCHA + "when: {speculation.method: eaglle}  # CON003\n",
    good=GOTCHA + "when: {speculation.method: eagle}\n",
)
def unknown_method(products: Products) -> Iterator[Finding]:
    catalog, fact = products.catalog, "speculation.method"
    listed = {word.lower() for word in words_of_engines(catalog, fact) | ALWAYS[fact]}
    users: dict[str, set[str]] = {}
    for record in catalog.of_kind("support"):
        for _, word in words_in(record.data, fact):
            users.setdefault(word.lower(), set()).add(record.id)
    for record in (record for kind in ("engine", "gotcha", "requirement", "support") for record in catalog.of_kind(kind)):
        for path, word in words_in(record.data, fact):
            if (low := word.lower()) in listed or len(users.get(low, ())) > 1:
                continue
            close = difflib.get_close_matches(low, listed | (users.keys() - {low}), n=1, cutoff=0.8)
            if close or low not in users:
                close = close or difflib.get_close_matches(low, listed | users.keys(), n=1)
                help = f"Did you mean {close[0]}?" if close else "The engine's record lists the words of its setting."
                yield record.document.span(path), f"no engine drafts by {word}", help


@rule(
    code="MOD001",
    name="model-without-reader",
    severity="warning",
    what="A model's config can be read into layers.",
    why="Without it its cache is unknown and the join cannot say what it demands.",
    bad=changed(
        MODEL,
        ("model_type: llama", "model_type: nobody-knows"),
        ("  values:", "  values:  # MOD001\n   "),
        ("LlamaForCausalLM", "NobodyKnowsForCausalLM"),
    ),
    good=MODEL,
)
def model_without_reader(products: Products) -> Iterator[Finding]:
    for model in products.catalog.of_kind("model"):
        derived = products.derived[model.id]
        if isinstance(derived, Unknown):
            what = ", ".join(derived.missing) or derived.reason
            place = model.document.key_span(("config", "values"))
            yield place, f"the config cannot be read into layers: {what}", "Add the field as upstream writes it, or a reader."


@rule(
    code="MOD002",
    name="requirement-without-record",
    what="Every requirement that a model's config brings has a record.",
    why="Its consequence, and who offers it, stand there.",
    bad=changed(MODEL, ("head_dim: 64", "head_dim: 512"), ("  values:", "  values:  # MOD002\n   ")),
    good=MODEL,
)
def requirement_without_record(products: Products) -> Iterator[Finding]:
    catalog = products.catalog
    for model in catalog.of_kind("model"):
        derived = products.derived[model.id]
        for requirement in () if isinstance(derived, Unknown) else derived.requirements:
            found = catalog.resolve(requirement)
            if (found is None or found.kind != "requirement") and requirement not in catalog.set_aside:
                span = model.document.key_span(("config", "values"))
                yield span, f"the config demands {requirement}, which has no record", f"Add catalog/requirements/{requirement}.yaml."


@rule(
    code="MOD003",
    name="class-default-as-fact",
    what="No model's config rests on the defaults of a configuration class.",
    why="Of 160 classes held against their own checkpoints, 84 differed.",
    bad=changed(MODEL, ("basis: official", "basis: class-default  # MOD003")),
    good=MODEL,
)
def class_default_as_fact(products: Products) -> Iterator[Finding]:
    for model in products.catalog.of_kind("model"):
        if model.data["config"]["basis"] == "class-default":
            span = model.document.span(("config", "basis"))
            yield span, "class defaults are not this model's facts", "Find the checkpoint's own config.json, or a copy of it."


@rule(
    code="SUP001",
    name="proposition-twice",
    what="A snapshot states a proposition once, but for a page read whole that says two things of it in two places.",
    why="Two statements of one source about one thing are a conflict that the source did not make, or one line copied.",
    bad=SNAPSHOT + "  - {about: {architecture: TinyForCausalLM}, holds: native, at: L9}  # SUP001\n",
    good=SNAPSHOT + "  - {about: {architecture: BigForCausalLM}, holds: native, at: L9}\n",
)
def proposition_twice(products: Products) -> Iterator[Finding]:
    for snapshot in products.catalog.of_kind("support"):
        seen: dict[str, int] = {}
        for index, claim in enumerate(snapshot.data["claims"]):
            key = repr((sorted(claim["about"].items()), claim.get("when")))
            if key in seen and not (snapshot.data.get("whole_page") and _contradicts(claim, snapshot.data["claims"][seen[key]])):
                first = snapshot.document.span(("claims", seen[key]))
                about = ", ".join(f"{name} {value}" for name, value in claim["about"].items())
                yield snapshot.document.span(("claims", index)), f"{about} is stated twice", f"First at {first}.", (("first here", first),)
            seen.setdefault(key, index)


def _contradicts(claim: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two claims of a page say two things in two places: the page contradicts itself, and both stand."""
    return claim["holds"] != other["holds"] and claim["at"] != other["at"]


@rule(
    code="SUP002",
    name="folder-is-not-the-engine",
    what="Snapshots and gotchas lie in the folder of their engine.",
    why="The folder is where people look for them.",
    bad=changed(SNAPSHOT, ("support/enga/", "support/engb/"), ("engine: enga", "engine: enga  # SUP002")),
    good=SNAPSHOT,
)
def folder_is_not_the_engine(products: Products) -> Iterator[Finding]:
    for record in (*products.catalog.of_kind("support"), *products.catalog.of_kind("gotcha")):
        if record.folder != record.data["engine"]:
            folder = f"catalog/{'support' if record.kind == 'support' else 'gotchas'}/{record.data['engine']}/"
            yield record.document.span(("engine",)), f"the record speaks of {record.data['engine']} and lies elsewhere", f"Move it to {folder}"


@rule(
    code="SUP003",
    name="feature-misspelt",
    what="A claim's feature is not a slip of one that a fact asks for, or of two of them. Any other column of an engine's table is free.",
    why="A column that no fact asks for is read by nobody, so a misspelt one would say nothing to whoever asks for the feature.",
    bad=changed(SNAPSHOT, ("architecture: TinyForCausalLM}", "feature: lora-with-speculaton}"), ("at: L3}", "at: L3}  # SUP003")),
    good=changed(SNAPSHOT, ("architecture: TinyForCausalLM", "feature: lora-with-speculation")),
)
def feature_misspelt(products: Products) -> Iterator[Finding]:
    meant = cache(slip_of)
    for snapshot in products.catalog.of_kind("support"):
        for index, claim in enumerate(snapshot.data["claims"]):
            word = claim["about"].get("feature", "")
            if word and (near := meant(word)):
                span = snapshot.document.span(("claims", index, "about", "feature"))
                yield span, f"no fact asks for {word}", f"Did you mean {near}?"


@rule(
    code="GOT001",
    name="fixed-without-fix",
    what="A gotcha whose status is fixed names the fix: a component of affects has fixed with a release or a change.",
    why="Without it nobody can tell which versions still have the fault.",
    bad=changed(GOTCHA, ("status: open", "status: fixed  # GOT001")),
    good=changed(
        GOTCHA,
        ('observed: ["1.0.0"]', 'observed: ["1.0.0"], fixed: {first_release: "1.1.0", cites: [{id: enga-issue-1}]}'),
        ("status: open", "status: fixed"),
    ),
)
def fixed_without_fix(products: Products) -> Iterator[Finding]:
    for gotcha in products.catalog.of_kind("gotcha"):
        components = [component for parts in gotcha.data["affects"].values() for component in parts]
        if gotcha.data["status"] in ("fixed", "fixed-unreleased") and not any("fixed" in component for component in components):
            remedy = "Add fixed: {pr: …} or {first_release: …} under affects, or mend the status."
            yield gotcha.document.span(("status",)), "the status says fixed and no component says by what", remedy


@rule(
    code="GOT002",
    name="pattern-does-not-compile",
    what="The regular expressions of a gotcha compile.",
    why="A broken one finds nothing and says nothing.",
    bad=GOTCHA + 'error_patterns: ["cannot start (yet"]  # GOT002\n',
    good=GOTCHA + 'error_patterns: ["cannot start \\\\(yet"]\n',
)
def pattern_does_not_compile(products: Products) -> Iterator[Finding]:
    for gotcha in products.catalog.of_kind("gotcha"):
        patterns = [(("error_patterns", index), text) for index, text in enumerate(gotcha.data.get("error_patterns", ()))]
        if "pattern" in gotcha.data.get("detector", {}):
            patterns.append((("detector", "pattern"), gotcha.data["detector"]["pattern"]))
        for path, text in patterns:
            try:
                re.compile(text)
            except re.error as error:
                fault = f"the pattern does not compile: {error.msg} at position {error.pos}"
                yield gotcha.document.span(path), fault, "Escape brackets that are meant as text."


@rule(
    code="GOT003",
    name="observed-under-nothing",
    severity="warning",
    what="A gotcha names at least one version: observed, introduced or fixed.",
    why="With none, it is a maybe for every version there is.",
    bad=changed(GOTCHA, ('[{engine: enga, observed: ["1.0.0"]}]}', "[{engine: enga}]}  # GOT003")),
    good=GOTCHA,
)
def observed_under_nothing(products: Products) -> Iterator[Finding]:
    for gotcha in products.catalog.of_kind("gotcha"):
        components = [component for parts in gotcha.data["affects"].values() for component in parts]
        if not any(key in component for component in components for key in ("observed", "introduced", "fixed")):
            yield gotcha.document.key_span(("affects",)), "no component names a version", "Add observed: with the versions of the reports."


@rule(
    code="GOT004",
    name="default-not-the-engines",
    what="The default that a gotcha says has flipped is one that the engine's record tells: a flip of that setting at that release, where its "
    "defaults are told by version, and else a default that it has today.",
    why="The answer takes its defaults from the engine's record; a gotcha that tells others would warn of what the answer does not assume.",
    bad=FLIPPED + 'default: {fact: setting.eager, was: true, is: false, since: "1.1.0", cites: [{id: enga-issue-1}]}  # GOT004\n',
    good=FLIPPED + 'default: {fact: setting.eager, was: false, is: true, since: "1.1.0", cites: [{id: enga-issue-1}]}\n',
)
def default_not_the_engines(products: Products) -> Iterator[Finding]:
    catalog = products.catalog
    told = [gotcha for gotcha in catalog.of_kind("gotcha") if "default" in gotcha.data]
    engines = {engine: record for engine in {gotcha.data["engine"] for gotcha in told} if (record := catalog.follow(engine))}
    known = {engine: list(of_settings(catalog, record)) for engine, record in engines.items()}
    for gotcha in told:
        default, engine = gotcha.data["default"], engines.get(gotcha.data["engine"])
        if engine is None:
            continue  # a record that is not there, or that cannot be read, is told of elsewhere
        setting, place = (engine.data.get("settings") or {}).get(default["fact"]), gotcha.document.key_span(("default",))
        if setting is None:
            yield place, f"{gotcha.data['engine']} has no setting on record for {default['fact']}", "Add it to the settings of the engine's record."
            continue
        same = [flip for flip in known[gotcha.data["engine"]] if flip.fact == default["fact"]]
        if same and not any(tells_of(gotcha, flip) for flip in same):
            flips = "; ".join(f"{condition.in_words(flip.was)} to {condition.in_words(flip.now)} at {flip.since}" for flip in same)
            yield place, f"the engine's record tells another flip of {default['fact']}", f"It has {flips}."
        later = [other.data["default"]["was"] for other in told if (other.engine, other.data["default"]["fact"]) == (gotcha.engine, default["fact"])]
        values = [entry["value"] for entry in setting.get("defaults", ())] + [setting[name] for name in ("default",) if name in setting] + later
        if not same and values and default["is"] not in values:
            yield place, f"the engine's record has no default {condition.in_words(default['is'])}", "Both have to agree: mend the one that is wrong."


@rule(
    code="REC001",
    name="second-recipe",
    what="A model has one recipe on an engine.",
    why="A command is built from one; with two nobody could say which flags it takes.",
    bad=RECIPE + changed(RECIPE, ("tiny-on-enga.yaml", "tiny-too.yaml"), ("models: [tiny-model]", "models: [tiny-model]  # REC001")),
    good=RECIPE,
)
def second_recipe(products: Products) -> Iterator[Finding]:
    seen: dict[tuple[str, str], Record] = {}
    for recipe in products.catalog.of_kind("recipe"):
        for index, model in enumerate(recipe.data["models"]):
            first = seen.setdefault((recipe.data["engine"], model), recipe)
            if first is not recipe:
                message = f"{model} has a recipe on {recipe.data['engine']} already: {first.path}"
                yield recipe.document.span(("models", index)), message, "Take it out of one of the two."


RULES = (
    unknown_placeholder,
    condition_does_not_parse,
    condition_never_true,
    unknown_method,
    model_without_reader,
    requirement_without_record,
    class_default_as_fact,
    proposition_twice,
    folder_is_not_the_engine,
    feature_misspelt,
    fixed_without_fix,
    pattern_does_not_compile,
    observed_under_nothing,
    default_not_the_engines,
    second_recipe,
)
