"""Declarations of the codes that reading, the shape check and the exceptions file report; their logic stands in those stages."""

from __future__ import annotations

from infercompat.declaration import Declaration
from infercompat.rules.examples import CITATION, CITED, MEASUREMENT, USE, changed

DECLARATIONS = (
    Declaration(
        code="YAML001",
        name="not-yaml",
        what="A file is UTF-8 text and one YAML document.",
        why="What cannot be read holds no record.",
        bad=CITATION + "notes: read: it  # YAML001\n",
        good=CITATION + 'notes: "read: it"\n' + USE,
    ),
    Declaration(
        code="YAML002",
        name="duplicate-key",
        what="A key stands once in its mapping.",
        why="YAML readers keep one of the two without a word.",
        bad=CITATION + "type: issue  # YAML002\n",
        good=CITED,
    ),
    Declaration(
        code="YAML003",
        name="anchor-alias-or-tag",
        what="Files use no anchors, aliases, tags or merge keys.",
        why="A record is read by people who look at one place; and aliases can blow a small file up.",
        bad=changed(CITATION, ("A report", "&name A report  # YAML003")),
        good=CITED,
    ),
    Declaration(
        code="YAML004",
        name="folded-string",
        what="A string stands on one line, or is a literal block (|).",
        why="Inside folded and multi-line quoted strings the column of a fault cannot be known.",
        bad=CITATION + "notes: >  # YAML004\n  Read in full.\n",
        good=CITATION + "notes: |\n  Read in full.\n" + USE,
    ),
    Declaration(
        code="YAML005",
        name="too-large",
        what="A file has at most 1 MiB and 40 levels.",
        why="A larger one is data that belongs elsewhere, or an attack.",
        bad=changed(CITATION, ("A report", "[" * 42 + "]" * 42 + "  # YAML005")),
        good=CITED,
    ),
    Declaration(
        code="YAML006",
        name="misplaced-file",
        what="Records lie in the folders of their kinds and end in .yaml.",
        why="The folder decides the kind; a file elsewhere would be read by nobody.",
        bad="\n# catalog/notices/report.yaml\ntitle: A report  # YAML006\n",
        good=CITED,
    ),
    Declaration(
        code="SHP001",
        name="unknown-field",
        what="A record has only the fields of its kind.",
        why="A misspelt field would be kept and never read.",
        bad=CITATION + "retreived: 2026-01-01  # SHP001\n",
        good=CITATION + "retrieved: 2026-01-01\n" + USE,
    ),
    Declaration(
        code="SHP002",
        name="missing-field",
        what="A record has every field that its kind needs.",
        why="Without it the record cannot be joined or shown.",
        bad="\n# catalog/citations/example.com/report.yaml\ntitle: A report  # SHP002\nurl: https://example.com/report\ntype: article\n",
        good=CITED,
    ),
    Declaration(
        code="SHP003",
        name="wrong-form",
        what="A value has the type and form of its field.",
        why="0.10 unquoted is the number 0.1, and a version of that name is another one.",
        bad=CITATION + "pin: 0.10  # SHP003\n",
        good=CITED,
    ),
    Declaration(
        code="SHP004",
        name="unknown-word",
        what="A field with a closed list of words holds one of them.",
        why="The join, the pages and the filters know these words and no others.",
        bad=changed(CITATION, ("article", "artikle  # SHP004")),
        good=CITED,
    ),
    Declaration(
        code="SHP005",
        name="fields-do-not-fit",
        what="Fields that exclude or need one another do so.",
        why="A derived figure that is also typed would be two figures.",
        bad=changed(MEASUREMENT, ("tiny model\n", "tiny model  # SHP005\n")) + "value: 17\n",
        good=MEASUREMENT,
    ),
    Declaration(
        code="SHP006",
        name="unquoted-wiki-link",
        what="A reference field holds a bare id; [[id]] belongs into prose.",
        why="YAML reads an unquoted [[id]] as a list in a list, and a quoted one is no id.",
        bad=changed(MEASUREMENT, ("model: tiny-model", "model: [[tiny-model]]  # SHP006")),
        good=MEASUREMENT,
    ),
    Declaration(
        code="EXC001",
        name="idle-exception",
        what="An entry of exceptions.yaml names a rule and suppresses something.",
        why="Exceptions that outlive their reason hide the next fault of the kind.",
        bad="""
# catalog/exceptions.yaml
exceptions:
  - {rule: CIT003, path: catalog/citations/example.com/gone.yaml, reason: Kept for its figures.}  # EXC001
""",
        good=CITATION
        + """
# catalog/exceptions.yaml
exceptions:
  - {rule: CIT003, path: catalog/citations/example.com/report.yaml, reason: Kept for its figures.}
""",
    ),
)
