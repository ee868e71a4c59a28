"""The translator's C++ is compiled and run where a compiler is; what it must refuse needs none."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from ptx_function import FunctionWriter
from ptx_module import PtxError, read_module

KERNEL = """
.version 9.0
.visible .entry kernel(
	.param .u64 kernel_param_0
)
{
	.reg .pred %p<3>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<9>;
	.reg .f32 %f<9>;
	.reg .f64 %fd<9>;
	ld.param.u64 %rd1, [kernel_param_0];
	BODY
	ret;
}
"""  # noqa: W191


def translate(body, first_slip=None):
    module = read_module(KERNEL.replace("BODY", body))
    function = module.functions[0]
    return FunctionWriter(function, {"kernel": 0}, module.variables, first_slip).text()


class Translation(unittest.TestCase):
    def test_roundings_that_are_not_to_the_nearest_are_refused(self):
        for instruction in (
            "add.f64 %fd1, %fd2, %fd3",  # may become part of a fused product
            "mul.f64 %fd1, %fd2, %fd3",
            "sub.f32 %f1, %f2, %f3",
            "add.rz.f64 %fd1, %fd2, %fd3",
            "fma.rm.f64 %fd1, %fd2, %fd3, %fd4",
            "mad.f64 %fd1, %fd2, %fd3, %fd4",
            "mul.rn.ftz.f32 %f1, %f2, %f3",
            "add.rn.sat.f32 %f1, %f2, %f3",
            "div.full.f32 %f1, %f2, %f3",
            "div.approx.f32 %f1, %f2, %f3",
            "rcp.approx.ftz.f64 %fd1, %fd2",
            "sqrt.approx.f32 %f1, %f2",
            "rsqrt.approx.f64 %fd1, %fd2",
            "sin.approx.f32 %f1, %f2",
            "ex2.approx.f32 %f1, %f2",
            "cvt.rz.f32.f64 %f1, %fd2",
            "cvt.rp.f64.u64 %fd1, %rd2",
            "setp.lt.ftz.f32 %p1, %f1, %f2",
        ):
            with self.subTest(instruction), self.assertRaisesRegex(PtxError, "no translation"):
                translate(instruction + ";")

    def test_what_it_does_not_know_is_refused_with_its_place(self):
        for instruction, reason in (
            ("lop3.b32 %r1, %r2, %r3, %r4, 128", "no translation"),
            ("atom.global.exch.b32 %r1, [%rd1], %r2", "no translation"),
            ("ld.volatile.v8.f64 %fd1, [%rd1]", "no translation"),
            ("add.rn.f64 %fd1, %fd2, %x3", "a register: %x3"),
            ("add.rn.f64 %fd1, %fd2, %f3", "%f3 as f64"),
            ("add.rn.f64 %fd1, %fd2", "2 operands"),
            ("mov.u32 %r1, %clock", "%clock"),
            ("mov.u64 %rd1, not_there", "not_there as u64"),
            ("call.uni not_there, ()", "a function that is not there"),
        ):
            with self.subTest(instruction), self.assertRaisesRegex(PtxError, f"{reason}.*of kernel"):
                translate(instruction + ";")

    def test_addresses_of_shared_memory_count_from_its_start(self):
        shared = ".extern .shared .align 8 .b8 room[];"
        body = "mov.u32 %r1, room;\n\tld.shared.f64 %fd1, [%r1+8];\n\t{ .reg .b64 %tmp;\n"
        body += "\tcvt.u64.u32 %tmp, %r1;\n\tcvta.shared.u64 %rd3, %tmp; }"
        module = read_module(KERNEL.replace(".visible", f"{shared}\n.visible").replace("BODY", body))
        code = FunctionWriter(module.functions[0], {"kernel": 0}, {}, None, module.shared).text()
        self.assertIn("r1_ = b32(u32(u32(0)));", code)
        self.assertIn("at = shared_memory() + u64(r1_) + u64(0x8);", code)
        self.assertIn("rd3_ = b64(u64(shared_memory() + u64(tmp_)));", code)

    def test_fused_products_are_rounded_twice_where_that_is_asked_for(self):
        product = "fma.rn.f64 %fd1, %fd2, %fd3, %fd4;"
        code = translate(f"{product}\n\t{product}", first_slip=7)
        for slip in (7, 8):
            self.assertIn(f"slip == {slip} ? fd2_ * fd3_ + fd4_ : __builtin_fma(fd2_, fd3_, fd4_)", code)
        self.assertNotIn("slip", translate(product))

    def test_registers_and_local_memory_are_full_of_other_bytes_at_first(self):
        code = translate(".local .align 8 .b8 depot[64];\n\tadd.rn.f64 %fd1, %fd2, 0d3FF0000000000000;\n"
                         "\tadd.s32 %r1, %r2, -1;")  # fmt: skip
        self.assertIn("__builtin_memset(local_memory, 0xa5, sizeof local_memory);", code)
        self.assertIn("f64 fd2_ = unset_f64, fd1_ = unset_f64;", code)
        self.assertIn("b32 r2_ = unset_b32, r1_ = unset_b32;", code)

    def test_straight_code_is_counted_between_labels_and_branches(self):
        module = read_module(KERNEL.replace("BODY", "add.s32 %r1, %r1, 1;\n$L:\n\tadd.s32 %r1, %r1, 2;\n"
                                                    "\tsetp.lt.s32 %p1, %r1, 9;\n\t@%p1 bra $L;"))  # fmt: skip
        writer = FunctionWriter(module.functions[0], {"kernel": 0}, module.variables)
        writer.text()
        self.assertEqual(writer.pieces, [{"ld.param.u64": 1, "add.s32": 1},
                                         {"add.s32": 1, "setp.lt.s32": 1, "bra": 1}, {"ret": 1}])  # fmt: skip


if __name__ == "__main__":
    unittest.main()
