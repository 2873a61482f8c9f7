"""Typed claims in a trace. Only plain statements count: a question, a condition, an option or a denial claims nothing.

The rules look at one sentence at a time and leave out more than they take in: a claim that is missed costs a
reader nothing, one that nobody made would put words into the writer's mouth.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from datasets_app.trace import Kind, Segment

MOST_CLAIMS = 200
LONGEST_SENTENCE = 600
SENTENCE = re.compile(r"[^\n.!?]+(?:\.(?=\S)[^\n.!?]*)*[.!?]?")
# Any of these anywhere in the sentence: it weighs, asks, or speaks of something else than the kernel at hand.
UNDECIDED = re.compile(
    r"\b(?:could|would|might|may|maybe|perhaps|should|can|if|unless|whether|either|suppose|assum\w+|consider\w*|options?"
    r"|alternativ\w+|possib\w+|potential\w*|probably|likely|hypothetical\w*|what about|how about|ideally|typical\w*|usual\w*|often"
    r"|in general|generally|in theory|think about|wonder|expect\w*|hope\w*|try|tempting|worth|goal|want|need|previous|earlier|old"
    r"|original\w*|naive|reference|eager (?:does|has|uses|runs|launches)|feedback|for example|e\.g|like|instead|first thought|thought"
    r"|text-?book|classic|known tricks?|compared|than|target|replac\w+|eager:|in CUDA)\b",
    re.IGNORECASE,
)
MEASURING = {"speedup"}  # kinds that may name the reference, which they compare with
NOT_OURS = re.compile(r"\b(?:pytorch|torch|cudnn|cublas|eager)(?:'s)?\s+(?:already\s+)?(?:uses?|has|does|is)\b", re.IGNORECASE)
DENIED = re.compile(
    r"\b(?:not|no|never|without|neither|nor|cannot|avoid\w*|instead of|rather than|remov\w+|drop\w*|skip\w*|lacks?|(?:no|any)thing)\b|n't\b|n’t\b",
    re.IGNORECASE,
)
# A line that lists one of several ways, before the choice is made.
OPTION = re.compile(
    r"\s*(?:[-*]\s*)?(?:\*\*\s*)?(?:\(?[A-F][.):]\s|\d[.)]\s*\*\*|(?:option|approach|idea|version|alternative)\b)",
    re.IGNORECASE,
)
INDEXED = re.compile(r"\b([A-Za-z_]\w*)\s*\[")
SAYS = (
    r"(?:use[sd]?|using|employ\w*|appl(?:y|ies|ied)|implement\w*|has|have|with|via|through|by|in|into|to|is|are|load(?:s|ed|ing)?|read(?:s|ing)?"
    r"|stor(?:e|es|ed|ing)|writ(?:e|es|ing)|reduc(?:e|es|ed|ing)|keep(?:s|ing)?|stag(?:e|es|ed|ing)|cach(?:e|es|ed|ing)|launch(?:es|ed|ing)?"
    r"|fus(?:e|es|ed|ing)|do|does|done|process(?:es|ed|ing)?|issue[sd]?|choose|set|take[s]?|run(?:s|ning)?|perform(?:s|ed|ing)?|vectori[sz]e[sd]?)"
)
GAP = r"\b[^.;:!?\n]{0,60}?"


@dataclass(frozen=True)
class Claim:
    """Character positions in the trace. `value` is the number that it names."""

    kind: str
    start: int
    end: int
    line: int
    text: str
    value: float | None = None
    arrays: tuple[str, ...] = ()  # that the sentence indexes: it may speak of these only


def said(words: str) -> re.Pattern[str]:
    """A verb, and within the clause after it the words: what counts as a statement. The group is what is marked."""
    return re.compile(rf"\b{SAYS}{GAP}(?P<what>{words})", re.IGNORECASE)


def plain(words: str) -> re.Pattern[str]:
    """Words that state something by themselves."""
    return re.compile(rf"(?P<what>{words})", re.IGNORECASE)


NO = r"(?:no|without(?: any)?|zero|avoid(?:s|ing|ed)?(?: all| any)?|free of|never uses?|(?:is|are|do|does)(?: not|n't) (?:use|using|have|cause|any))\s+(?:need for\s+)?"
NUMBER = r"(?P<value>\d+(?:\.\d+)?)"

# kind -> (the pattern, whether its own words deny, so that a denial around it does not void it)
PATTERNS: dict[str, tuple[re.Pattern[str], bool]] = {
    "no shared memory": (plain(rf"\b{NO}shared[- ]memory(?! bank)"), True),
    "no bank conflicts": (
        plain(rf"\b(?:{NO}(?:shared[- ]memory )?bank[- ]conflicts?|bank[- ]conflict[- ]free|conflict[- ]free)\b"),
        True,
    ),
    "no atomics": (plain(rf"(?<!there is )(?<!there are )\b{NO}atomics?\b(?: operations?| adds?)?"), True),
    "no spills": (plain(rf"\b{NO}(?:register )?spill(?:s|ing)?\b"), True),
    "shared memory": (said(r"shared[- ]memory(?! bank)"), False),
    "grid-stride loop": (said(r"grid[- ]strided? (?:loops?|style)|grid[- ]strid(?:e|ing)"), False),
    "coalesced": (plain(r"\b(?<!un)(?<!non-)coalesced\b|\bcoalescing is (?:perfect|full|fine|good)"), False),
    "warp shuffle": (said(r"(?:warp[- ]?(?:level )?)?shuffles?\b|__shfl\w*|warp[- ](?:level )?(?:shuffle )?reductions?"), False),
    "vector loads": (
        said(r"(?:float4|float2|int4|half2|128[- ]bit|16[- ]byte|vectori[sz]ed)(?:\s+(?:loads?|stores?|reads?|writes?|access(?:es)?|transactions?))|"
             r"(?<=vectorise )loads|float4s?\b"),
        False,
    ),
    "tensor cores": (said(r"tensor[- ]cores?|wmma|mma\.sync|mma instructions?"), False),
    "atomics": (said(r"atomics\b|atomic(?:\s+(?:adds?|operations?|max|min)|Add|Max|Min|CAS)\b"), False),
    "half precision": (said(r"fp16|bf16|bfloat16|half[- ]precision|float16|__half2?\b|half2"), False),
    "asynchronous copy": (said(r"cp\.async|async(?:hronous)? cop(?:y|ies)|memcpy_async"), False),
    "unrolled": (plain(r"#pragma unroll|\b(?:loop|loops) (?:is|are) (?:fully )?unrolled|\bI unroll\b|\bunrolls? the (?:inner )?loop"), False),
    "one kernel": (
        said(r"(?<!saves )(?:one|a single|single) (?:fused )?(?:(?:CUDA |Triton )?kernel(?: launch)?|launch)\b"),
        False,
    ),
    "single pass": (said(r"(?:one|a single|single)[- ]pass\b"), False),
    "fused": (plain(r"\b(?:is|are) (?:all )?fused\b|\bfus(?:es|ing) (?:the |all |both )?\w+|\bI fuse\b|\bfused kernel\b"), False),
    "block size": (
        plain(rf"\b{NUMBER} threads (?:per|a|in each|in a|each) block|\bblock[- ]?size(?: is| of|:| =)? ?(?P<value2>\d+)\b|"
              r"\bblocks of (?P<value3>\d+) threads|\b(?P<value4>\d+)[- ]thread blocks?"),
        False,
    ),
    "registers": (plain(rf"\b(?:uses?|needs?|takes?) (?:only )?(?P<value>\d+) registers(?: (?:per|a) thread)?"), False),
    "speedup": (
        plain(rf"\b{NUMBER} ?(?:x|×|times)\s+(?:faster|quicker|speed-?up|over (?:eager|pytorch|the (?:reference|baseline)))|"
              r"\bspeed-?up (?:of|is) (?:about |around |roughly |~)?(?P<value2>\d+(?:\.\d+)?) ?(?:x|×)"),
        False,
    ),
}  # fmt: skip


def find(text: str, parts: Iterable[Segment]) -> list[Claim]:
    """Claims in the order of the trace; code is not read, and no span is counted for two kinds."""
    found: list[Claim] = []
    for part in parts:
        if part.kind == Kind.CODE:
            continue
        for sentence in SENTENCE.finditer(text, part.start, part.end):
            if len(found) >= MOST_CLAIMS:
                return found
            if len(sentence[0]) <= LONGEST_SENTENCE:
                line = part.first_line + text.count("\n", part.start, sentence.start())
                found.extend(in_sentence(text, sentence.start(), sentence.end(), line))
    return found


def in_sentence(text: str, start: int, end: int, line: int) -> Iterator[Claim]:
    sentence = text[start:end]
    whole_line = text[text.rfind("\n", 0, start) + 1 : end]
    if sentence.rstrip().endswith("?") or OPTION.match(whole_line) or NOT_OURS.search(sentence):
        return
    undecided = UNDECIDED.search(re.sub(r"\bno need\b", "", sentence))
    taken: list[tuple[int, int]] = []
    arrays = tuple(dict.fromkeys(INDEXED.findall(sentence)))
    for kind, (pattern, denies) in PATTERNS.items():
        for match in pattern.finditer(sentence):
            first, last = match.span("what")
            if undecided and not (kind in MEASURING and undecided[0].lower() == "reference"):
                continue
            if any(first < b and a < last for a, b in taken) or (not denies and denied(sentence, first)):
                continue
            taken.append((first, last))
            yield Claim(kind, start + first, start + last, line, match["what"], value_of(match), arrays)


def denied(sentence: str, at: int) -> bool:
    """Whether something before the words, in their clause, takes them back."""
    clause = re.split(r"[,;:()]|\bbut\b|\bso\b|\band\b", sentence[:at])[-1]
    return bool(DENIED.search(clause))


def value_of(match: re.Match[str]) -> float | None:
    values = [value for name, value in match.groupdict().items() if name.startswith("value") and value]
    return float(values[0]) if values else None
