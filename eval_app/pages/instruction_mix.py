"""How the machine instructions of each kernel divide by what they do, counted in its SASS, where a loop counts once."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from eval_app.pages.machine_text import ADDRESS, FUNCTION, readable, unmangled

MOST_KERNELS = 12
OPCODE = re.compile(r"\s*(?:@!?U?P\w+\s+)?(?P<name>[A-Z][A-Z0-9]*)(?:\.\w+)*(?=[\s;])")
PADDING = "NOP"
# By the names of NVIDIA's instruction set reference, Volta to Hopper. The first pattern that fits decides.
CLASSES = tuple(
    (title, re.compile(rf"(?:{names})\Z"))
    for title, names in (
        ("tensor cores", r"[HIDBQO]?(?:MMA|GMMA)|WARPGROUP"),
        ("global memory", r"LDG|STG|ATOMG?|RED|LD|ST|CCTLL?|LDGSTS|UTMA\w+|UBLK\w+"),
        ("shared memory", r"LDSM?|STSM?|ATOMS"),
        ("local memory", r"LDL|STL"),
        ("constant memory", r"U?LDCU?"),
        ("textures", r"TEX|TLD4?|TMML|TXD|TXQ|SU(?:LD|ST|RED|ATOM)"),
        ("FP64", r"D(?:ADD|MUL|FMA|SETP|MNMX)"),
        ("FP16, BF16", r"H(?:ADD2|MUL2|FMA2|MNMX2|SET2|SETP2)"),
        ("special functions", r"MUFU"),
        ("FP32", r"U?F(?:ADD|MUL|FMA|MNMX|SETP|SET|SEL|CHK|SWZADD)"),
        ("conversions", r"F2F|F2FP|F2I|F2IP|I2F|I2FP|I2I|I2IP|FRND"),
        ("synchronisation", r"BAR|B2R|MEMBAR|FENCE|(?:LDG)?DEPBAR|ARRIVES|SYNCS|WARPSYNC|(?:CGA)?ERRBAR|UCGABAR\w*"),
        ("within a warp", r"SHFL|VOTEU?|MATCH|REDUX|NANOSLEEP|ELECT"),
        ("control flow", r"BRAX?|BRX|JMX?P?|CALL|RET|EXIT|BSSY|BSYNC|BREAK|BMOV|BPT|KILL|YIELD|RTT|RPCMOV|LEPC"),
        ("moves", r"U?MOV\d*|U?SEL|U?P2U?R|R2U?P|U?R2UR|S2U?R|CS2R|U?PRMT|U?PLOP3|U?PSETP|[GS]ETLMEMBASE"),
        ("integers, addresses", r"U?I(?:ADD3?|MAD|MUL|ABS|MNMX|SETP|DP|DP4A|MADSP)|U?LEA|U?LOP3?|U?SH[FLR]|U?SGXT"
         r"|U?BREV|U?BMSK|U?FLO|U?POPC|VABSDIFF4?|VIADD\w*|VIMNMX\w*|VHMNMX"),
    )
)  # fmt: skip
OTHER = "other"


@dataclass(frozen=True)
class Share:
    title: str
    count: int
    percent: float


@dataclass(frozen=True)
class KernelMix:
    """The instructions of one kernel, the most frequent kind first; alignment by NOP is left out."""

    name: str
    total: int
    shares: tuple[Share, ...]


def class_of(opcode: str) -> str:
    return next((title for title, names in CLASSES if names.match(opcode)), OTHER)


def instruction_mix(sass: str) -> tuple[KernelMix, ...]:
    """Return the mix of each kernel of a listing, in its order."""
    kernels: dict[str, Counter[str]] = {}
    counts: Counter[str] = Counter()
    for line in readable(sass).split("\n"):
        if function := FUNCTION.match(line):
            counts = kernels.setdefault(function["sass"] or function["ptx"], Counter())
        elif (address := ADDRESS.match(line)) and (found := OPCODE.match(line, address.end())):
            counts[found["name"]] += 1
    mixes = (mix_of(name, opcodes) for name, opcodes in list(kernels.items())[:MOST_KERNELS])
    return tuple(mix for mix in mixes if mix.total)


def mix_of(name: str, opcodes: Counter[str]) -> KernelMix:
    classes: Counter[str] = Counter()
    for opcode, count in opcodes.items():
        if opcode != PADDING:
            classes[class_of(opcode)] += count
    total = classes.total()
    shares = (Share(title, count, 100 * count / total) for title, count in classes.most_common())
    return KernelMix(unmangled(name), total, tuple(shares))
