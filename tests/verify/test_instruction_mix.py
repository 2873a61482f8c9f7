"""Tests of the instruction mix of SASS, and of the sentences about a kernel's occupancy and operations."""

import pytest

from eval_app.pages.inspection_view import Inspection
from eval_app.pages.instruction_mix import class_of, instruction_mix

SASS = """
\t\tFunction : _Z4reluPKfPfi
\t.headerflags\t@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                   /* 0x00000a00ff017b82 */
                                                                            /* 0x000fe20000000800 */
        /*0010*/                   S2R R0, SR_TID.X ;                       /* 0x0000000000007919 */
        /*0020*/              @P0  EXIT ;                                   /* 0x000000000000094d */
        /*0030*/                   LDG.E.CONSTANT R2, [R2.64] ;             /* 0x0000000402027981 */
        /*0040*/             @!P1  FMNMX R5, RZ, R2, !PT ;                  /* 0x00000002ff057209 */
        /*0050*/                   FFMA R5, R5, R5, RZ ;                    /* 0x00000002ff057209 */
        /*0060*/                   STG.E [R4.64], R5 ;                      /* 0x0000000504007986 */
        /*0070*/                   EXIT ;                                   /* 0x000000000000794d */
.L_x_0:
        /*0080*/                   BRA `(.L_x_0);                           /* 0xfffffff000007947 */
        /*0090*/                   NOP;                                     /* 0x0000000000007918 */
\t\tFunction : plain_name
        /*0000*/                   HGMMA.64x64x16.F32 R24, gdesc[UR4], R24 ;
        /*0010*/                   FANCY9 R1 ;
"""


def test_each_kernel_is_counted_by_what_its_instructions_do():
    relu, other = instruction_mix(SASS)
    assert (relu.name, relu.total) == ("relu", 9)
    assert {share.title: share.count for share in relu.shares} == {
        "control flow": 3,
        "global memory": 2,
        "FP32": 2,
        "constant memory": 1,
        "moves": 1,
    }
    assert sum(share.percent for share in relu.shares) == pytest.approx(100)
    assert [(share.title, share.count) for share in other.shares] == [("tensor cores", 1), ("other", 1)]


@pytest.mark.parametrize(
    ("opcodes", "title"),
    [
        ("LDS STS LDSM ATOMS", "shared memory"),
        ("LDL STL", "local memory"),
        ("HMMA IMMA DMMA QGMMA", "tensor cores"),
        ("DFMA DSETP", "FP64"),
        ("HFMA2 HADD2", "FP16, BF16"),
        ("IMAD IADD3 LOP3 SHF UIADD3 ULEA ISETP", "integers, addresses"),
        ("SHFL VOTE REDUX", "within a warp"),
        ("BAR MEMBAR", "synchronisation"),
        ("MUFU", "special functions"),
        ("I2F F2I F2FP", "conversions"),
        ("MOV UMOV CS2R PRMT R2UR", "moves"),
    ],
)
def test_opcodes_are_classed_as_the_instruction_set_reference_has_them(opcodes, title):
    assert {class_of(opcode) for opcode in opcodes.split()} == {title}


def test_a_text_that_is_no_sass_has_no_mix():
    assert instruction_mix("") == instruction_mix(".visible .entry relu(\n  ret;\n") == ()


def test_the_evidence_says_what_limits_the_occupancy():
    counted = {"metrics": {"launch__occupancy_limit_registers": {"value": 4}}}
    assert (
        "4 blocks run on a multiprocessor at once, limited by registers" in Inspection(counted, {}).occupancy
    )
    assert Inspection({}, {}).occupancy == ""


def test_the_evidence_says_how_many_operations_the_profiler_counted():
    names = ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma")
    metrics = {f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum": {"value": 2048} for name in names}
    said = Inspection({"metrics": metrics}, {}).executed
    assert "executed 8.19 kFLOP in single and 8.19 kFLOP in double precision" in said
    assert Inspection({}, {}).executed == ""
