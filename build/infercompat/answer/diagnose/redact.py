"""Takes secrets out of pasted text before anything else looks at it, so that none can reach an answer.

Every rule keeps the number of lines, so that line numbers stay those of the paste. What names a person or a machine (addresses, hosts,
user names, home folders) goes, too; what anybody may know (loopback, well-known hosts, version numbers) stays.
"""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Callable
from typing import NamedTuple

from infercompat.answer.diagnose.seen import alike

MASK = "REDACTED"

PUBLIC_HOSTS = (
    *("github.com", "githubusercontent.com", "gitlab.com", "huggingface.co", "hf.co", "modelscope.cn", "modelscope.ai", "kaggle.com"),
    *("pytorch.org", "python.org", "anaconda.org", "anaconda.com", "conda.io", "readthedocs.io"),
    *("docker.io", "docker.com", "ghcr.io", "nvcr.io", "quay.io", "nvidia.com", "amd.com", "intel.com", "apple.com", "google.com"),
    *("vllm.ai", "sglang.ai", "sglang.io", "flashinfer.ai", "ollama.com", "ollama.ai", "ubuntu.com", "debian.org", "kubernetes.io"),
)
LOCAL_HOSTS = frozenset({"localhost", "0.0.0.0", "127.0.0.1", "[::]", "[::1]", "::", "::1", "none", "null", "true", "false"})


class Rule(NamedTuple):
    """A pattern and what stands in its place. It is tried only where one of the hints is in the text, in lower case and with zeros for digits.

    `near` is found in every line, in lower case, in which the pattern is found, where the hints are in most lines.
    """

    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    change: str | Callable[[re.Match[str]], str]
    near: re.Pattern[str] | None = None


def redact(text: str) -> str:
    """The text without secrets, line by line as it was."""
    lowered = text.lower()
    for rule in WHOLE_RULES:
        if any(hint in lowered for hint in rule.hints):
            text = rule.pattern.sub(rule.change, text)
    for name in _named(text) if any(word in lowered for word in SECRET_WORDS) else ():
        text = re.sub(rf"(\b{name}[ \t]?=[ \t]?[\"']?)(?!\$)[^\s\"';]+", rf"\1{MASK}", text)
    lines = text.split("\n")
    known: dict[bytes, tuple[Rule, ...]] = {}
    for place, line in enumerate(alike("\n".join(line.lower() for line in lines)).split(b"\n")):
        if line not in known:
            known[line] = _of(line.decode("utf-8", "surrogatepass"))
        for rule in known[line]:
            lines[place] = rule.pattern.sub(rule.change, lines[place])
    return "\n".join(lines)


_ZEROS = str.maketrans("123456789", "0" * 9)


def _named(text: str) -> list[str]:
    """The variables that a secret is taken from, by the lines that can say so."""
    lines = (line for line in text.split("\n") if ("$" in line or "=" in line) and any(word in line for word in ("key", "token", "secret", "passw")))
    return sorted({match[1] or match[2] for line in lines for match in NAMED.finditer(line)})


def _of(line: str) -> tuple[Rule, ...]:
    """The rules that are tried on a line, which is in lower case, with every digit a zero."""
    if len(line) < 4:
        return ()
    return tuple(rule for rule in LINE_RULES if (rule.near.search(line) if rule.near else any(hint.translate(_ZEROS) in line for hint in rule.hints)))


def mask_block(match: re.Match[str]) -> str:
    return MASK + "\n" * match[0].count("\n")


_MAC = re.compile(r"(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")


_STORED = re.compile(r"(?m)^([ \t]*)(?:data|stringData):[ \t]*\n(?:\1[ \t]+.*(?:\n|$))+")
_ITEM = re.compile(r"(?m)^([ \t]+[\w.\"'/-]+:[ \t]*)\S.*$|^([ \t]{4,})[\w+/=]{8,}[ \t]*$")


def mask_manifest(match: re.Match[str]) -> str:
    """Masks what the secrets among some manifests store."""
    parts = match[0].split("\n---")
    for place, part in enumerate(parts):
        if re.search(r"(?i)\bkind[\"']?:[ \t]*[\"']?secret\b", part):
            parts[place] = _STORED.sub(lambda found: _ITEM.sub(lambda item: (item[1] or item[2]) + MASK, found[0]), part)
    return "\n---".join(parts)


def mask_address(match: re.Match[str]) -> str:
    """Masks what is an address; loopback, the wildcard and versions such as 0.10.1.1 are none."""
    return _masked_address(match[0])


@functools.lru_cache(10_000)
def _masked_address(text: str) -> str:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return MASK if _MAC.fullmatch(text) else text
    return text if address.is_loopback or address.is_unspecified or text.startswith("0.") else MASK


def mask_host(match: re.Match[str]) -> str:
    host = match["host"]
    name, colon, port = host.partition(":") if not host.startswith("[") else (host, "", "")
    name = name.lower().rstrip(".")
    known = name in LOCAL_HOSTS or name.startswith("$") or any(name == public or name.endswith("." + public) for public in PUBLIC_HOSTS)
    return match[0] if known else f"{match['before']}{MASK}{colon}{port}"


SECRET_WORDS = ("key", "token", "secret", "passw")
NAMED = re.compile(
    r"--[\w-]{0,40}(?:token|secret|passw(?:or)?d|key)[ \t=]{1,3}[\"']?\$\{?([A-Za-z_]\w{0,60})|"
    r"\b\w{0,40}(?:token|secret|password|api_key) ?= ?([A-Z][A-Z0-9_]{1,60})\b(?![.(=])"
)
"""Variables that a secret is taken from: what is set to them is one, whatever their names."""

_SHAPES = r"""(?<![A-Za-z0-9])(?:
    hf_(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{6,} | hf_[a-z]{16,} | sk-[A-Za-z0-9_-]{8,} | (?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}
    | gh[pousr]_[A-Za-z0-9]{10,} | github_pat_\w{10,} | glpat-[\w-]{10,} | xox[abeprs]-[\w-]{8,} | AIza[\w-]{20,} | nvapi-[\w-]{8,}
    | SG\.[\w-]{16,}\.[\w-]{16,} | gsk_\w{10,} | ya29\.[\w-]{10,} | dckr_pat_[\w-]{10,} | pypi-[\w-]{16,} | eyJ[\w-]{8,}\.[\w-]{6,}(?:\.[\w-]*)?
)"""
_SHAPE_HINTS = (
    *("hf_", "sk-", "akia", "asia", "aroa", "aida", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_", "glpat"),
    *("xox", "aiza", "nvapi", "sg.", "gsk_", "ya29", "dckr", "pypi-", "eyj"),
)
_SECRET = r"(?:(?:api|access|private|account|storage|signing)[_-]?key|secret|passw(?:or)?d|passphrase|credentials?)[\w-]{0,24}"
_SECRET_WORD = r"(?:token|secret|passw(?:or)?d|key)"
_IS = r"(?:[\"']\]?)?[ \t]{0,3}[=:][ \t]{0,3}"
_VALUE = r"(?:\[[^\]\n]{1,500}\]|\"[^\"]{1,500}\"|'[^']{1,500}'|[\"']?[^\s\"']+)"
_HOST_NAME = r"(?:host(?:name)?|node[_-]?(?:name|addr|ip)|server[_-]name|master[_-]addr(?:ess)?|dist[_-]init[_-]addr)"
_HOST_IS = r"[\"']?[ \t]{0,24}[=:][ \t]{0,3}"
_HOST = r"(?P<host>[A-Za-z][\w.-]{1,252}(?::\d{1,5})?)"
_PRIVATE = r"(?:local|localdomain|lan|internal|intranet|corp|home|private|svc)"
_LABELS = r"(?:[\w-]{1,62}\.)"

WHOLE_RULES = (
    Rule(("private key",), re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*(?:-----END [A-Z ]{0,30}-----)?"), mask_block),
    # A list of environment variables, with the name on one line and the value on the next.
    Rule(
        ("value:",),
        re.compile(
            rf"(?i)(name:[ \t]*[\"']?\w{{0,60}}{_SECRET_WORD}\w{{0,30}}[\"']?[ \t]*(?:\n[ \t-]*|,[ \t]*)"
            r"value:[ \t]*(?:[|>][-+]?[ \t]*\n[ \t]+)?[\"']?)(?![$|>])[^\s\"'}]+"
        ),
        rf"\1{MASK}",
    ),
    # A flag with its value on the line below.
    Rule(
        ("key", "token", "secret", "passw"),
        re.compile(rf"(?i)(--[\w-]{{0,40}}(?:(?<![a-z])|(?<=auth)){_SECRET_WORD}[ \t]+[\\`^][ \t]*\n[ \t]*)(?![$-]){_VALUE}"),
        rf"\1{MASK}",
    ),
    Rule(("kind: secret", 'kind: "secret', "kind: 'secret", '"kind":"secret'), re.compile(r"[\s\S]+"), mask_manifest),
    Rule(("labels:", "roles:"), re.compile(r"(\bName:[ \t]+)[\w.-]+(?=\n(?:Roles|Labels):)"), rf"\1{MASK}"),
)
LINE_RULES = (
    # Secrets that are known by their own shape, then those that are known by what stands in front.
    Rule(_SHAPE_HINTS, re.compile(_SHAPES, re.X), MASK),
    Rule(("authorization",), re.compile(rf"(?i)(authorization{_IS}[\"']?(?:(?:bearer|basic|token)\s+)?)[^\s\"',]+"), rf"\1{MASK}"),
    Rule(("bearer",), re.compile(r"(?i)\b(bearer\s{1,3})[\w.~+/=-]{6,}"), rf"\1{MASK}"),
    Rule(("://",), re.compile(r"://[^\s/]{1,300}@"), f"://{MASK}@"),
    Rule(("hooks.",), re.compile(r"(hooks\.[\w.-]{1,60}/)[\w/-]{4,}"), rf"\1{MASK}"),
    Rule(("sig", "token=", "key="), re.compile(r"(?i)([?&](?:sig|(?:x-amz-)?signature|(?:access_)?token|key)=)[^&\s\"']+"), rf"\1{MASK}"),
    Rule(("cookie",), re.compile(r"(?i)(\b(?:set-)?cookie[\"']?:[ \t]*).+"), rf"\1{MASK}"),
    Rule(("ssh-", "ecdsa-"), re.compile(r"(\b(?:ssh-[a-z0-9]{2,10}|ecdsa-sha2-[\w-]{4,20}) )AAAA[\w+/=]{8,}"), rf"\1{MASK}"),
    Rule(("-u", "--user"), re.compile(r"((?:^|\s)(?:-u|--user)(?:[ \t]+|=)[\"']?)[^\s:\"'$]{1,100}:[^\s\"']+"), rf"\1{MASK}"),
    Rule((" -p", "sshpass"), re.compile(r"((?:\blogin\b.{0,200}?\s-p[ \t]+|\bsshpass[ \t]+-p[ \t]*)[\"']?)[^\s\"']+"), rf"\1{MASK}"),
    Rule(("key", "secret", "passw", "passphrase", "credential"), re.compile(rf"(?i)({_SECRET}{_IS})(?![\"']?\$){_VALUE}"), rf"\1{MASK}"),
    # Tokens of a vocabulary are written like <eos>, and counts of tokens are numbers: neither is a secret.
    Rule(
        ("token=", "token:", "token'", 'token"', "token "),
        re.compile(
            rf"(?i)((?:[_-]|\bauth|\bapi|\baccess|\bhf)token{_IS})"
            rf"(?![\"']?(?:[<$]|none\b|null\b|true\b|false\b))(?=[\"']?[\w.-]*[a-z])(?=[\"']?[\w.~+/=-]{{6}}){_VALUE}"
        ),
        rf"\1{MASK}",
    ),
    Rule(("token=",), re.compile(r"(?i)(\btoken=)(?![\"'][<$])[\"'][^\"']{6,200}[\"']"), rf"\1{MASK}"),
    Rule(
        ("token=", "token:", "token ", "token\t"),
        re.compile(r"(?i)(\btoken[ \t]{0,3}[=:][ \t]{0,3})(?=[\w.-]{0,60}\d)(?=[\w.-]{0,60}[a-z])[\w.~+/=-]{10,}"),
        rf"\1{MASK}",
    ),
    # Several keys may stand behind one flag.
    Rule(
        ("key", "token", "secret", "passw"),
        re.compile(
            rf"(?i)(--[\w-]{{0,40}}(?:(?<![a-z])|(?<=auth)){_SECRET_WORD}(?:[ \t]+|=))(?![\"']?\$|--|[\\`^][ \t]*$){_VALUE}"
            r"(?:[ \t]+(?!-)[^\s/.$|>&;<\\]{6,}(?=\s|$))*"
        ),
        rf"\1{MASK}",
    ),
    # Machines and people.
    Rule((".",), re.compile(r"(?<![\w.])(?<!==)(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\w)"), mask_address, re.compile(r"\d\.\d{1,3}\.\d{1,3}\.\d")),
    Rule(
        (":",),
        re.compile(r"(?<![\w:.])(?=[0-9A-Fa-f:]*::|(?:[0-9A-Fa-f]{1,4}:){5})[0-9A-Fa-f:]{4,39}(?![\w:])"),
        mask_address,
        re.compile(r"::|:[\da-f]{1,4}:[\da-f]{1,4}:[\da-f]{1,4}:[\da-f]{1,4}:"),
    ),
    Rule(("@",), re.compile(r"(?<![\w.+/@-])[A-Za-z][\w.+-]{0,63}@(?!sha256\b)[A-Za-z][\w-]{0,62}(?:\.[\w-]{1,62}){0,6}"), MASK),
    Rule(
        ("://",), re.compile(r"(?<!\b[Hh][Ff])(?P<before>://(?:REDACTED@)?)(?P<host>(?:\[[\w:.]{2,45}\]|[^\s/:\"'<>\])},;@\\]{1,253})(?::\d{1,5})?)"), mask_host
    ),
    Rule(
        (".loc", ".lan", ".int", ".corp", ".home", ".private", ".svc"),
        re.compile(rf"(?<![\w./-])\w[\w-]{{0,62}}(?:\.[\w-]{{1,62}}){{0,5}}\.{_PRIVATE}(?![\w-])"),
        MASK,
    ),
    Rule(
        (".com", ".net", ".org", ".edu", ".gov"),
        re.compile(rf"(?P<before>)(?P<host>(?<![\w./@-]){_LABELS}{{2,6}}(?:com|net|org|edu|gov))(?![\w-]|\.\w)"),
        mask_host,
    ),
    # The registry of an image.
    Rule(
        ("image", "docker", "podman", "nerdctl", "openai:", "sglang:"),
        re.compile(rf"(?P<before>)(?P<host>(?<![\w./:@-]){_LABELS}{{1,6}}[A-Za-z][\w-]{{1,62}}(?::\d{{1,5}})?)(?=/[\w./-]{{1,200}}[:@][\w.-])"),
        mask_host,
    ),
    Rule(("ip-",), re.compile(r"\bip(?:-\d{1,3}){4}\b"), MASK),
    Rule(("host", "node", "addr", "server"), re.compile(rf"(?i)(?P<before>\b{_HOST_NAME}{_HOST_IS}[\"']?){_HOST}"), mask_host),
    Rule(("--",), re.compile(rf"(?i)(?P<before>--(?:{_HOST_NAME}|address)(?:[ \t]{{1,3}}|=)[\"']?){_HOST}"), mask_host),
    Rule(("ssh ",), re.compile(r"(?P<before>\bssh[ \t]+(?:-\w+[ \t]+(?:[^\s-]\S*[ \t]+)?){0,8})(?P<host>[A-Za-z][\w.-]{1,100})(?=\s|$)"), mask_host),
    Rule(("~",), re.compile(r"(?<![\w/~.])~[A-Za-z][\w.-]{0,60}(?=/)"), f"~{MASK}"),
    Rule(("]:",), re.compile(r"^([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )\S+( [\w./-]{1,80}\[\d+\]:)"), rf"\1{MASK}\2"),
    Rule(("linux ",), re.compile(r"^(Linux )\S+( \d+\.\d+)"), rf"\1{MASK}\2"),
    Rule(("/home/", "/users/", "\\users\\"), re.compile(r"(/(?:home|Users)/|\b[A-Za-z]:\\Users\\)[^/\\\s\"':,;)]+"), rf"\1{MASK}"),
)
