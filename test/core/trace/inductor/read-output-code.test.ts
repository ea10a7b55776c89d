import { expect, test } from "vitest";
import { readOutputCode } from "#core/trace/inductor/read-output-code.ts";

test("operators of every kernel, of Triton, C++ and libraries", () => {
  const code = `
# kernel path: /tmp/x.py
# Topologically Sorted Source Nodes: [hidden, pow_1], Original ATen: [aten._to_copy, aten.pow, aten.mean]
# Source node to ATen node mapping:
#   hidden => convert_element_type
triton_red_fused__to_copy_mean_pow_0 = async_compile.triton('triton_red_fused__to_copy_mean_pow_0', '''
@triton.jit
def triton_red_fused__to_copy_mean_pow_0(in_ptr0, xnumel):
    tl.store(out_ptr0, tmp)
''', device_str='cuda')

def call(args):
        # Topologically Sorted Source Nodes: [linear], Original ATen: [aten.mm]
        extern_kernels.mm(buf0, arg1, out=buf1)
        # Topologically Sorted Source Nodes: [pow_1, mean], Original ATen: [aten.pow, aten.mean, aten.add]
        triton_red_fused__to_copy_mean_pow_0.run(buf1, 4096, stream=stream0)
        # Source Nodes: [relu], Original ATen: [aten.relu]
        cpp_fused_relu_1(buf4, buf0)
        del buf0
`;
  expect(readOutputCode(code)).toEqual([
    { kernel: "triton_red_fused__to_copy_mean_pow_0", operators: ["aten._to_copy", "aten.pow", "aten.mean", "aten.add"], sources: ["hidden", "pow_1", "mean"] },
    { kernel: "extern_kernels.mm", operators: ["aten.mm"], sources: ["linear"] },
    { kernel: "cpp_fused_relu_1", operators: ["aten.relu"], sources: ["relu"] },
  ]);
});

test.each(["", "print(1)", "# Topologically Sorted Source Nodes: [a], Original ATen: [aten.b]\nassert_size_stride(x)\n"])("nothing in %j", (text) => expect(readOutputCode(text)).toEqual([]));
