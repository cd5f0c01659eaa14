"""The patterns of what is private in pasted text, line by line: secrets by their shape or their name, machines and people.

The page's script reads the same patterns as data, so they keep to what both know.
"""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Callable
from typing import NamedTuple

MASK = "REDACTED"

PUBLIC_HOSTS = (
    *("github.com", "githubusercontent.com", "gitlab.com", "huggingface.co", "hf.co", "modelscope.cn", "modelscope.ai", "kaggle.com"),
    *("pytorch.org", "python.org", "anaconda.org", "anaconda.com", "conda.io", "readthedocs.io"),
    *("docker.io", "docker.com", "ghcr.io", "nvcr.io", "quay.io", "nvidia.com", "amd.com", "intel.com", "apple.com", "google.com"),
    *("vllm.ai", "sglang.ai", "sglang.io", "flashinfer.ai", "ollama.com", "ollama.ai", "ubuntu.com", "debian.org", "kubernetes.io"),
)
LOCAL_HOSTS = frozenset({"localhost", "0.0.0.0", "127.0.0.1", "[::]", "[::1]", "::", "::1", "none", "null", "true", "false"})


class Rule(NamedTuple):
    """A pattern and what stands in its place. It is tried only where one of the hints is in the line; those without capitals are in it in lower case.

    `near` is found in every line, in lower case and with zeros for digits, in which the pattern is found, where the hints are in most lines.
    """

    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    change: str | Callable[[re.Match[str]], str] = rf"\1{MASK}"
    near: re.Pattern[str] | None = None


_MAC = re.compile(r"(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")


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


# What a secret is called, what stands between its name and the secret, and what the secret looks like then.
QUOTE = r"\\{0,3}[\"']"
STRONG = (
    r"(?:(?:api|access|private|account|storage|signing|encryption|master|salt|auth|admin|license|shared|subscription|deploy|hf|hub|openai|wandb)[_.-]?keys?"
    r"|(?<!no )secrets?|passw(?:or)?ds?|passphrase|passcode|credentials?|dockerconfigjson)[\w.-]{0,24}"
)
"""Names of what is always secret."""
TOKEN = r"(?:[_.-]|auth|api|access|hf|session|security|refresh|hub|bot)tokens?"
"""Names of what is secret where it is no number, no word of a vocabulary and no switch."""
FLAG = r"-{1,2}(?:[\w.-]{0,60}(?:(?<![a-z])|(?<=auth)|(?<=api)))?(?:token|secret|passw(?:or)?d|keys?)"
VARIABLE = r"\w{0,60}(?:token|secret|passw(?:or)?d|key|pass|pwd|credentials?|auth)(?:_\w{1,12})?"
"""Names of environment variables that hold a secret, where nothing but a variable can stand."""
_SHOUTED = (
    r"\b(?=[A-Z])[A-Z0-9_]{0,60}(?:TOKEN|SECRET|PASSWORD|PASSWD|APIKEY|SSHPASS|CREDENTIALS?|(?<![A-Z0-9])(?:KEY|PASS|AUTH)|(?<=_)PWD)(?:_[A-Z0-9]{1,12}){0,2}"
)
_TYPE = r":[ \t]{0,3}(?:str|string|String|bytes|SecretStr|Optional\[\w{1,20}\])(?:[ \t]?\|[ \t]?(?:None|null|undefined))?[ \t]{0,3}="
IS = rf"(?:{QUOTE}\]?|\])?[ \t]{{0,24}}(?:{_TYPE}|:=|\?=|\+=|=>|->|={{1,3}}|:)[ \t]{{0,8}}(?:[!&][\w!]{{1,40}}[ \t]+)?"
_KEPT = (
    rf"(?!(?:{QUOTE})?(?:\$\w+|\$\{{\w+\}}|\$\(\w+\)|\$env:\w+|%\w+%|\$?\{{\{{[^{{}}]{{0,80}}\}}\}}|<[^<>]{{1,40}}>|None|none|null|true|false|True|False|[|>][-+\d]{{0,2}}|REDACTED)"
    rf"(?:{QUOTE})?(?:[\s,;)\]}}&|\\]|$))"
)
"""What is no secret itself: a variable, a place for one, or none."""
VALUE = (
    r"(?:(?:\$?[bfruBFRU]{0,2}(?:\"[^\"]{1,500}\"|'[^']{1,500}'|`[^`]{1,500}`)|\[[^\]]{1,500}\]|\([^()]{1,500}\)|\{[^{}]{1,500}\}|\$\([^()]{1,300}\)|\$\{[^{}]{1,300}\}"
    r"|[A-Za-z_][\w.]{0,60}(?:\([^()]{0,500}\)|\[[^\]]{1,100}\]))(?:[ \t]*\+[ \t]*(?:\"[^\"]{1,500}\"|'[^']{1,500}'))?"
    r"|\$?(?:\\{0,3}[\"'`])?[^\s\"'`]*[^\s\"'`,;)\]}\\])"
)
_OPENED = r"(?:[\w.]{1,40}\()?[\[{(]?\$?[bfru]{0,2}(?:\\{0,3}[\"'`])?"
_SHAPED = r"(?=[\w.~+/=-]{0,200}\d)(?=[\w.~+/=-]{0,200}[A-Za-z])[\w.~+/=-]{8,}"
_MIXED = r"(?=[\w+/=-]{0,200}[a-z])(?=[\w+/=-]{0,200}[A-Z])(?=[\w+/=-]{0,200}\d)[\w+/=-]{10,}"
_BASE64 = r"(?=[\w+/-]{0,400}[A-Z\d])[\w+/-]{12,}={0,2}(?![\w+/.:-])"

NAMED = re.compile(
    r"--[\w-]{0,40}(?:token|secret|passw(?:or)?d|keys?)(?:[\"']?[ \t\n=,\\]{1,60}(?:-[ \t]+)?)[\"']?\$[({]?([A-Za-z_]\w{0,60})|"
    r"\b\w{0,40}(?:token|secret|password|api_key) ?= ?([A-Za-z_]\w{0,60})\b(?![.(=\[\"'])"
)
"""Variables that a secret is taken from: what is set to them is one, whatever their names."""
NAMES_NEAR = re.compile(r"(?:token|secret|passwo?r?d|key)s?[\"' \t=,\\({-]{0,61}(?:\$|$)|(?:token|secret|password|api_key) ?= ?[a-z_]")
"""What is in a line in lower case, or at its end, wherever one of them is."""
TAKEN = re.compile(r"\b([A-Za-z_]\w{0,60})[\"']?[ \t]{0,3}[=:][ \t]{0,3}[\"']?\$[({]?([A-Za-z_]\w{0,60})")
"""A variable that is set from another one."""
NAMES = "NAMES"
GIVEN = rf"((?:\b(?:{NAMES})[\"']?[ \t]{{0,3}}[=:][ \t]{{0,3}}|\bENV[ \t]+(?:{NAMES})[ \t]+)){_KEPT}{VALUE}"
"""What is set to variables, whose names stand for NAMES."""

_SHAPES = r"""(?<![A-Za-z0-9])(?:
    hf_(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{6,} | hf_[a-z]{16,} | sk-[A-Za-z0-9_-]{8,} | [sprw]k_(?:live|test)_\w{8,} | (?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}
    | gh[pousr]_[A-Za-z0-9]{10,} | github_pat_\w{10,} | gl(?:pat|dt|rt|ptt|agent)-[\w-]{10,} | xox[abeprs]-[\w-]{8,} | AIza[\w-]{20,} | nvapi-[\w-]{8,}
    | SG\.[\w-]{16,}\.[\w-]{16,} | gsk_\w{10,} | ya29\.[\w-]{10,} | dckr_[po]at_[\w-]{10,} | pypi-[\w-]{16,} | eyJ[\w-]{8,}\.[\w-]{6,}(?:\.[\w-]*)?
    | r8_\w{20,} | tgp_v1_[\w-]{10,} | xai-\w{20,} | npm_\w{20,} | do[op]_v1_\w{16,} | ATATT3x[\w=-]{10,} | AGE-SECRET-KEY-1\w{8,} | shp(?:at|ss|ca|pa)_\w{16,}
    | LTAI[A-Za-z0-9]{12,} | AKID[A-Za-z0-9]{12,} | pplx-\w{16,} | tvly-[\w-]{16,} | csk-\w{16,} | lin_api_\w{16,} | sntrys_[\w=]{16,} | hvs\.[\w-]{16,}
)"""
_SHAPE_HINTS = (
    *("hf_", "sk-", "k_live_", "k_test_", "akia", "asia", "aroa", "aida", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_", "glpat", "gldt", "glrt", "glptt"),
    *("xox", "aiza", "nvapi", "sg.", "gsk_", "ya29", "dckr", "pypi-", "eyj", "r8_", "tgp_v1", "xai-", "npm_", "doo_v1", "dop_v1", "atatt3x", "age-secret"),
    *("shp", "ltai", "akid", "pplx-", "tvly-", "csk-", "lin_api", "sntrys", "hvs.", "glagent"),
)
_STRONG_HINTS = ("key", "secret", "passw", "passphrase", "passcode", "credential", "dockerconfigjson")
_ANY_HINTS = ("key", "token", "secret", "pass", "pwd", "credential", "auth")
_SHOUTED_HINTS = ("KEY", "TOKEN", "SECRET", "PASS", "PWD", "CREDENTIAL", "AUTH")
_HOST_NAME = r"(?:host(?:name)?|node[_-]?(?:name|addr|ip)|server[_-]name|master[_-]addr(?:ess)?|dist[_-]init[_-]addr)"
_HOST_IS = r"[\"']?[ \t]{0,24}[=:][ \t]{0,3}"
_HOST = r"(?P<host>[A-Za-z][\w.-]{1,252}(?::\d{1,5})?)"
_PRIVATE = r"(?:local|localdomain|lan|internal|intranet|corp|home|private|svc)"
_LABELS = r"(?:[\w-]{1,62}\.)"
_ASKED = r"(?:sig|(?:x-amz-)?signature|x-amz-credential|x-amz-security-token|(?:access_|id_|refresh_|auth_?)?token|auth|(?:api_?)?key|password|secret|code)"

_STANDS = r"(?:\\{0,3}[\"']\]?|\])?[ \t]{0,24}[:=?+-]"
_NUMBER = r"[:=]{0,2}[ \t]*(?!0+(?:[\s,;)\]}]|$))"
_NEAR_STRONG = re.compile(rf"(?:(?<=[a-z])keys?|(?<=[a-z][_.-])keys?|secret|passw|phrase|passcode|credential|configjson)[\w.-]{{0,32}}{_STANDS}")
_NEAR_TOKEN = re.compile(rf"tokens?{_STANDS}{_NUMBER}")
_NEAR_KEY = re.compile(rf"(?:key|auth(?:token)?){_STANDS}")
_NEAR_PASS = re.compile(rf"(?:pass|pwd){_STANDS}")
_NEAR_VARIABLE = re.compile(rf"(?:key|token|secret|passw|pass|pwd|credential|auth)\w{{0,16}}(?:{_STANDS}{_NUMBER}|[\"'][ \t]*,)")
_NEAR_WORD = re.compile(r"(?:key|token|secret|passw|phrase|passcode|credential|configjson|pass|auth|pwd)[\w.-]{0,24}[ \t]+(?:[\"'|<-]|(?:is|was) |\S*\d)")
_NEAR_FLAG = re.compile(r"-[\w.-]{0,70}(?:token|secret|passw|key)")
_NEAR_ENV = re.compile(r"^[ \t]*[$>#%!+]*[ \t]*(?:env|arg|set|export|read)")
"""What is in a line in lower case, with every digit a zero, in which a rule finds something."""

SECRETS = (
    # Secrets that are known by their own shape, then those that are known by what stands in front.
    Rule(_SHAPE_HINTS, re.compile(_SHAPES, re.X), MASK),
    Rule(("private key",), re.compile(r"(-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)[^-\n]+"), r"\1REDACTED"),
    Rule(("digest",), re.compile(r"(?i)(authorization.{0,20}\bdigest\s).+")),
    Rule(
        ("authorization",),
        re.compile(rf"(?i)(authorization{IS}\[?(?:f?{QUOTE})?(?:(?:bearer|basic|token|apikey|negotiate)(?:\s|%20)+)?)(?!(?:bearer|basic)\b)[^\s\"',]+"),
    ),
    Rule(("bearer",), re.compile(r"(?i)(\bbearer(?:\s|%20|[\"'+:=]){1,6})(?!REDACTED)[\w.~+/=-]{6,}")),
    Rule(("basic",), re.compile(r"(\b[Bb]asic )(?=[\w+/]{0,200}[A-Z\d])[\w+/]{8,}={0,2}(?![\w.])")),
    Rule(("://",), re.compile(r"://[^\s/]{1,300}@"), f"://{MASK}@"),
    Rule(("hooks",), re.compile(r"(hooks\.[\w.-]{1,60}/|/webhooks/\d{1,30}/)[\w/-]{4,}")),
    Rule(("/bot",), re.compile(r"(/bot)\d{4,}:[\w-]{8,}")),
    Rule(("sig", "token=", "key=", "auth=", "credential=", "password=", "secret=", "code="), re.compile(rf"(?i)([?&;#]{_ASKED}=)[^&\s\"']+")),
    Rule(("cookie",), re.compile(r"(?i)(\b(?:set-)?cookie[\"']?:[ \t]*).+")),
    Rule(("ssh-", "ecdsa-"), re.compile(r"(\b(?:ssh-[a-z0-9]{2,10}|ecdsa-sha2-[\w-]{4,20}) )AAAA[\w+/=]{8,}")),
    Rule(("-u", "--user"), re.compile(r"((?:^|\s)(?:-u|--user)(?:[ \t]*|=)[\"']?)[^\s:\"'$=-][^\s:\"'$]{0,100}:[^\s\"']+")),
    Rule((" -p", "sshpass"), re.compile(r"((?:\blogin\b.{0,200}?\s-p(?:[ \t]+|=)?|\bmysql\w{0,10}\b.{0,200}?\s-p|\bsshpass[ \t]+-p[ \t]*)[\"']?)[^\s\"']+")),
    Rule(("echo", "printf"), re.compile(rf"(\b(?:echo|printf)[ \t]+(?:-\w+[ \t]+)?)(?!\$){VALUE}(?=[ \t]*\|.{{0,80}}(?:stdin|login|auth))")),
    Rule(
        ("echo", "printf"),
        re.compile(rf"(\b(?:echo|printf)[ \t]+(?:-\w+[ \t]+)?)(?!\$){VALUE}(?=[ \t]*>{{1,2}}[ \t]*\S{{0,200}}(?:token|secret|key|passw|netrc|credential))"),
    ),
    Rule(("login", "authtoken"), re.compile(rf"((?:\blogin|\b(?:add-)?authtoken)(?:\([ \t]*|[ \t]+(?:--?[\w-]+[ \t]+){{0,3}})[\"']?){_SHAPED}")),
    Rule(_STRONG_HINTS, re.compile(rf"(?i)({STRONG}{IS}){_KEPT}{VALUE}"), near=_NEAR_STRONG),
    Rule(
        ("password", "passwd"),
        re.compile(rf"(?i)(^[ \t]*(?:password|passwd)[ \t]+(?=\S+[ \t]*$)|\blogin[ \t]+\S{{1,100}}[ \t]+(?:password|passwd)[ \t]+){_KEPT}{VALUE}"),
    ),
    Rule(_STRONG_HINTS, re.compile(rf"(?i)((?<![\w.-])(?:[\w.-]{{0,40}}[_.-])?{STRONG}[ \t]+(?:(?:is|was)[ \t]+)?[\"']?){_SHAPED}"), near=_NEAR_WORD),
    Rule(("pass", "pwd"), re.compile(rf"(?i)((?:[_.-]|\b)pass{IS}|[_.-]pwd{IS}|\bpwd{IS}(?![\"']?(?:[/~]|[A-Za-z]:[\\/]))){_KEPT}{VALUE}"), near=_NEAR_PASS),
    # Tokens of a vocabulary are written like <eos>, and counts of tokens are numbers: neither is a secret.
    Rule(
        ("token",), re.compile(rf"(?i)({TOKEN}{IS}){_KEPT}(?!{_OPENED}<)(?={_OPENED}[\w.-]{{0,200}}[a-z])(?={_OPENED}[\w.~+/=-]{{6}}){VALUE}"), near=_NEAR_TOKEN
    ),
    Rule(("token",), re.compile(rf"(?i)(\btoken{IS}){_KEPT}(?={QUOTE}[^<\"']{{0,200}}[a-z])(?={QUOTE}[^\"'\s]{{6}}){VALUE}"), near=_NEAR_TOKEN),
    Rule(("token",), re.compile(rf"(?i)(\btoken{IS})(?=[\w.-]{{0,60}}\d)(?=[\w.-]{{0,60}}[a-z])[\w.~+/=-]{{8,}}"), near=_NEAR_TOKEN),
    Rule(("token",), re.compile(rf"(\b[Tt]oken (?:is |was )?[\"']?){_MIXED}"), near=_NEAR_WORD),
    Rule(("auth",), re.compile(rf"((?<![A-Za-z])_?[aA]uth(?:Token)?{IS}(?:{QUOTE})?){_BASE64}"), near=_NEAR_KEY),
    Rule(("key",), re.compile(rf"((?<![\w.-])[kK]ey{IS}(?:{QUOTE})?){_MIXED}"), near=_NEAR_KEY),
    # Several keys may stand behind one flag.
    Rule(
        ("key", "token", "secret", "passw"),
        re.compile(
            rf"(?i)((?<![\w-]){FLAG}(?:[ \t]+|[=:][ \t]*)){_KEPT}(?!--|[\\`^][ \t]*$|\$'\{{)(?:{QUOTE}{QUOTE}[ \t]+)?{VALUE}"
            r"(?:[ \t]+(?!-)(?:\"[^\"/.$]{6,}\"|'[^'/.$]{6,}'|[^\s\"'/.$|>&;<\\]{6,}(?=\s|$)))*"
        ),
        near=_NEAR_FLAG,
    ),
    # The items of a list, one a name and the next its secret, and the arguments of a call.
    Rule(
        ("key", "token", "secret", "passw"),
        re.compile(rf"(?i)((?<![\w-]){FLAG}(?:{QUOTE})?[ \t]*,[ \t]*)(?!(?:{QUOTE})?--?[a-z]){_KEPT}(?:{QUOTE}[^\"'\\]{{1,500}}{QUOTE}|[^\s\"',\]]+)"),
        near=_NEAR_FLAG,
    ),
    Rule(_ANY_HINTS, re.compile(rf"(?i)({QUOTE}{VARIABLE}{QUOTE}[ \t]*,[ \t]*){_KEPT}{QUOTE}[^\"'\\]{{1,500}}{QUOTE}(?![ \t]*:)"), near=_NEAR_VARIABLE),
    # Environment variables, in the forms of shells, of Dockerfiles and of manifests.
    Rule(_SHOUTED_HINTS, re.compile(rf"({_SHOUTED}{IS}){_KEPT}(?!(?:{QUOTE})?(?:<|\d{{1,6}}(?:[\s\"',;)}}\]]|$))){VALUE}"), near=_NEAR_VARIABLE),
    Rule(_SHOUTED_HINTS, re.compile(rf"({_SHOUTED}[ \t]*(?:\||->|<<<|[ \t])[ \t]*[\"']?){_SHAPED}"), near=_NEAR_WORD),
    Rule(
        _ANY_HINTS,
        re.compile(
            rf"(?i)(^[ \t]*(?:[$>#%!+]+[ \t]*)?(?:ENV|ARG|setx|setenv|env|export|set(?:[ \t]+-\w+){{0,2}}|read(?:[ \t]+-\w+){{0,3}})[ \t]+"
            rf"{VARIABLE}[ \t]+(?:<<<[ \t]*)?)(?!=|--){_KEPT}{VALUE}"
        ),
        near=_NEAR_ENV,
    ),
    Rule(
        ("value",),
        re.compile(
            rf"(?i)(name{IS}(?:{QUOTE})?{VARIABLE}(?:{QUOTE})?[ \t]*,[ \t]*(?:{QUOTE})?value{IS}){_KEPT}(?:\"[^\"]{{1,500}}\"|'[^']{{1,500}}'|[^\s\"'}}]+)"
        ),
    ),
    Rule(
        ("value",),
        re.compile(rf"(?i)(value{IS}){_KEPT}(?:\"[^\"]{{1,500}}\"|'[^']{{1,500}}'|[^\s\"',}}]+)(?=[ \t]*,[ \t]*(?:{QUOTE})?name{IS}(?:{QUOTE})?{VARIABLE}\b)"),
    ),
    # Markup and the blocks of Terraform.
    Rule(("</",), re.compile(r"(?i)(<[\w.:-]{0,40}(?:token|secret|passw(?:or)?d|key)[\w.:-]{0,20}>)[^<>]+(?=</)")),
    Rule(("value=",), re.compile(r"(?i)(key=[\"'][\w.:-]{0,60}(?:token|secret|passw(?:or)?d|key)[\"'][ \t]+value=[\"'])[^\"']+")),
    Rule(("default",), re.compile(r"(?i)(\"[\w-]{0,60}(?:token|secret|passw(?:or)?d|key)\"[ \t]*\{.{0,80}?\bdefault[ \t]*=[ \t]*)(?:\"[^\"]{1,500}\")")),
    Rule(("from-literal",), re.compile(r"(--from-literal[= ][\"']?[\w.-]{1,60}=)[^\s\"']+")),
    Rule(
        ("--set",),
        re.compile(r"(--set(?:-string)?[= ][\"']?[\w.]{0,60}(?:secret|token|key|passw|credential)\w{0,20}(?:\.[\w.]{1,40})?=)[^\s\"']+"),
    ),
)
PRIVATE = (
    # Machines and people.
    Rule((".",), re.compile(r"(?<![\w.])(?<!==)(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\w)"), mask_address, re.compile(r"0\.0{1,3}\.0{1,3}\.0")),
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
    Rule(("/home/", "/users/", "\\users\\"), re.compile(r"(/(?:home|Users)/|\b[A-Za-z]:\\Users\\)[^/\\\s\"':,;)]+")),
    Rule(("name:",), re.compile(r"(?<!Marketing )(?<!Product )(\bName:[ \t]{4,})(?!gfx|0x)[\w.-]+$")),
)
LINE_RULES = (*SECRETS, *PRIVATE)
