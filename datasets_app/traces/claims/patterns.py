"""Patterns of claims, and of their negations."""

import re


def any_of(*words: str) -> str:
    return f"(?:{'|'.join(words)})"


# A sentence with any of these weighs options, asks, or refers to something else than the kernel.
WEIGHING = any_of(
        "could", "would", "might", "may", "maybe", "perhaps", "should", "can", "if", "unless", "whether", "either",
        "suppose", r"assum\w+", r"consider\w*", "options?", r"alternativ\w+", r"possib\w+", r"potential\w*",
        "probably", "likely", r"hypothetical\w*", "what about", "how about", "ideally", r"typical\w*", r"usual\w*",
        "often", "in general", "generally", "in theory", "think about", "wonder", r"expect\w*", r"hope\w*", "try",
        "tempting", "worth", "goal", "want", "need", "previous", "earlier", "old", r"original\w*", "naive",
        "reference", "eager (?:does|has|uses|runs|launches)", "eager:", "feedback", "for example", r"e\.g", "like",
        "instead", "thought", "text-?book", "classic", "known tricks?", "compared", "than", "target", r"replac\w+",
        "in CUDA", "internally", "in place of", "draft",
    )  # fmt: skip
UNDECIDED = re.compile(rf"\b{WEIGHING}\b", re.IGNORECASE)
NO_NEED = re.compile(r"\bno need\b", re.IGNORECASE)
MEASURING = {"speedup", "FLOPs"}  # kinds that compare with the reference, and may name it
COMPARING = re.compile(
    r"\b(?:than|compared (?:to|with)|(?:the )?(?:reference|original|eager))\b", re.IGNORECASE
)
OTHERS = any_of("pytorch", "torch", "cudnn", "cublas", "eager")
NOT_OURS = re.compile(rf"\b{OTHERS}(?:'s)?\s+(?:already\s+)?(?:uses?|has|does|is)\b", re.IGNORECASE)
DENIERS = any_of(
    *("not", "no", "never", "without", "neither", "nor", "cannot", r"avoid\w*", "instead of", "rather than"),
    *(r"remov\w+", r"drop\w*", r"skip\w*", "lacks?", "nothing", "anything"),
)
DENIED = re.compile(rf"\b{DENIERS}\b|n't\b|n’t\b", re.IGNORECASE)
# A line that lists one of several options, before the choice is made.
OPTION = re.compile(
    r"\s*(?:[-*]\s*)?(?:\*\*\s*)?"
    r"(?:\(?[A-F][.):]\s|\d[.)]\s*\*\*|(?:option|approach|idea|version|alternative|candidate|variant|attempt)\b)",
    re.IGNORECASE,
)
INDEXED = re.compile(r"\b([A-Za-z_]\w*)\s*\[")
SAYS = any_of(
    *("use[sd]?", "using", r"employ\w*", "appl(?:y|ies|ied)", r"implement\w*", "has", "have", "with", "via"),
    *("through", "by", "in", "into", "to", "is", "are", "load(?:s|ed|ing)?", "read(?:s|ing)?"),
    *(
        "stor(?:e|es|ed|ing)",
        "writ(?:e|es|ing)",
        "reduc(?:e|es|ed|ing)",
        "keep(?:s|ing)?",
        "stag(?:e|es|ed|ing)",
    ),
    *("cach(?:e|es|ed|ing)", "launch(?:es|ed|ing)?", "fus(?:e|es|ed|ing)", "do", "does", "done"),
    *(
        "process(?:es|ed|ing)?",
        "issue[sd]?",
        "choose",
        "set",
        "take[s]?",
        "run(?:s|ning)?",
        "perform(?:s|ed|ing)?",
    ),
    "vectori[sz]e[sd]?",
)
GAP = r"\b[^.;:!?\n]{0,60}?"


def statement(*words: str) -> re.Pattern[str]:
    """Return a pattern of a verb followed, within the clause, by one of the words: a statement. The group is marked."""
    return re.compile(rf"\b{SAYS}{GAP}(?P<what>{any_of(*words)})", re.IGNORECASE)


def plain(*words: str) -> re.Pattern[str]:
    """Return a pattern of words that are a statement by themselves."""
    return re.compile(rf"(?P<what>{any_of(*words)})", re.IGNORECASE)


NO = (
    any_of(
        *("no", "without(?: any)?", "zero", "avoid(?:s|ing|ed)?(?: all| any)?", "free of", "never uses?"),
        "(?:is|are|do|does)(?: not|n't) (?:use|using|have|cause|any)",
    )
    + r"\s+(?:need for\s+)?"
)
NUMBER = r"\d+(?:\.\d+)?"
WIDE = any_of("float4", "float2", "int4", "half2", "128[- ]bit", "16[- ]byte", "vectori[sz]ed")
ACCESS = any_of("loads?", "stores?", "reads?", "writes?", "access(?:es)?", "transactions?")
FASTER = any_of("faster", "quicker", "speed-?up", "over (?:eager|pytorch|the (?:reference|baseline))")

# A total, such as 2.1 GFLOPs: neither a rate (GFLOP/s, GFLOPS) nor the work of one element or thread.
TOTAL = r"(?!\w|\s*(?:/|per\b|each\b|an?\b|for (?:each|every)\b|of every\b))"
PRECISION = r"(?:(?:single|double)[- ]precision |fp(?:32|64) |float(?:32|64) )?"
FLOP_COUNT = (
    rf"(?<![\w.,])(?P<value>\d[\d,]*(?:\.\d+)?(?:e\+?\d+)?) ?(?P<scale>[kKMGT]|thousand |million |billion |trillion )?"
    rf"{PRECISION}(?:(?-i:FLOPs?)|floating[- ]point operations){TOTAL}"
    r"(?: in (?:single|double) precision| \((?:fp32|fp64)\))?"
)

# Kinds whose own words are a denial, so that a denial around them does not void them.
DENYING: dict[str, re.Pattern[str]] = {
    "no shared memory": plain(rf"\b{NO}shared[- ]memory(?! bank)"),
    "no bank conflicts": plain(
        rf"\b{NO}(?:shared[- ]memory )?bank[- ]conflicts?", r"\b(?:bank[- ])?conflict[- ]free\b"
    ),
    "no atomics": plain(
        rf"(?<!there is )(?<!there are )\b{NO}atomics?\b(?: operations?| adds?)?",
    ),
    "no spills": plain(rf"\b{NO}(?:register )?spill(?:s|ing)?\b"),
}
STATING: dict[str, re.Pattern[str]] = {
    "shared memory": statement(r"shared[- ]memory(?! bank)"),
    "grid-stride loop": statement(r"grid[- ]strided? (?:loops?|style)", r"grid[- ]strid(?:e|ing)"),
    "coalesced": plain(r"\b(?<!un)(?<!non-)coalesced\b", r"\bcoalescing is (?:perfect|full|fine|good)"),
    "warp shuffle": statement(
        r"(?:warp[- ]?(?:level )?)?shuffles?\b", r"__shfl\w*", r"warp[- ](?:level )?(?:shuffle )?reductions?"
    ),
    "vector loads": statement(rf"{WIDE}\s+{ACCESS}", r"float4s?\b"),
    "tensor cores": statement(r"tensor[- ]cores?", r"wmma", r"mma\.sync", r"mma instructions?"),
    "atomics": statement(r"atomics\b", r"atomic(?:\s+(?:adds?|operations?|max|min)|Add|Max|Min|CAS)\b"),
    "half precision": statement(
        *(r"fp16", r"bf16", r"bfloat16", r"half[- ]precision", r"float16", r"__half2?\b", r"half2")
    ),
    "asynchronous copy": statement(r"cp\.async", r"async(?:hronous)? cop(?:y|ies)", r"memcpy_async"),
    "unrolled": plain(
        *(r"#pragma unroll", r"\bloops? (?:is|are) (?:fully )?unrolled", r"\bI unroll\b"),
        r"\bunrolls? the (?:inner )?loop",
    ),
    "one kernel": statement(
        r"(?<!saves )(?:one|a single|single) (?:fused )?(?:(?:CUDA |Triton )?kernel(?: launch)?|launch)\b"
    ),
    "single pass": statement(r"(?:one|a single|single)[- ]pass\b"),
    "fused": plain(
        *(r"\b(?:is|are) (?:all )?fused\b", r"\bfus(?:es|ing) (?:the |all |both )?\w+", r"\bI fuse\b"),
        r"\bfused kernel\b",
    ),
    "block size": plain(
        rf"\b(?P<value>{NUMBER}) threads (?:per|a|in each|in a|each) block",
        *(r"\bblock[- ]?size(?: is| of|:| =)? ?(?P<value2>\d+)\b", r"\bblocks of (?P<value3>\d+) threads"),
        r"\b(?P<value4>\d+)[- ]thread blocks?",
    ),
    "registers": plain(r"\b(?:uses?|needs?|takes?) (?:only )?(?P<value>\d+) registers(?: (?:per|a) thread)?"),
    "FLOPs": plain(FLOP_COUNT),
    "speedup": plain(
        rf"\b(?P<value>{NUMBER}) ?(?:x|×|times)\s+{FASTER}",
        rf"\bspeed-?up (?:of|is) (?:about |around |roughly |~)?(?P<value2>{NUMBER}) ?(?:x|×)",
    ),
}
PATTERNS = {**DENYING, **STATING}
# Words of each kind in lower case: a sentence without any of them is not matched against the kind's pattern.
WORDS: dict[str, tuple[str, ...]] = {
    "no shared memory": ("shared",),
    "no bank conflicts": ("conflict",),
    "no atomics": ("atomic",),
    "no spills": ("spill",),
    "shared memory": ("shared",),
    "grid-stride loop": ("grid",),
    "coalesced": ("coalesc",),
    "warp shuffle": ("shuffle", "__shfl", "reduction"),
    "vector loads": ("float4", "float2", "int4", "half2", "bit", "byte", "vectori"),
    "tensor cores": ("tensor", "wmma", "mma"),
    "atomics": ("atomic",),
    "half precision": ("fp16", "bf16", "float16", "half"),
    "asynchronous copy": ("async",),
    "unrolled": ("unroll",),
    "one kernel": ("kernel", "launch"),
    "single pass": ("pass",),
    "fused": ("fus",),
    "block size": ("thread", "block"),
    "registers": ("registers",),
    "FLOPs": ("flop", "floating"),
    "speedup": ("faster", "quicker", "speed", "over "),
}
