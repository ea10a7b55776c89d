import { expect, test } from "vitest";
import { bytesOfDtype } from "#core/shape/dtype.ts";

// torch.<name>.itemsize of torch 2.15.
test.each([
  ["float32", 4],
  ["float64", 8],
  ["float16", 2],
  ["bfloat16", 2],
  ["float8_e4m3fn", 1],
  ["float8_e4m3fnuz", 1],
  ["float8_e5m2", 1],
  ["float8_e5m2fnuz", 1],
  ["float8_e8m0fnu", 1],
  ["float4_e2m1fn_x2", 1],
  ["bool", 1],
  ["int8", 1],
  ["uint8", 1],
  ["int16", 2],
  ["uint16", 2],
  ["int32", 4],
  ["uint32", 4],
  ["int64", 8],
  ["uint64", 8],
  ["int4", 1],
  ["uint4", 1],
  ["complex32", 4],
  ["bcomplex32", 4],
  ["complex64", 8],
  ["complex128", 16],
  ["qint8", 1],
  ["quint8", 1],
  ["qint32", 4],
  ["quint4x2", 1],
  ["quint2x4", 1],
  ["bits8", 1],
  ["bits16", 2],
  ["bits4x2", 1],
])("%s takes %d bytes", (dtype, bytes) => {
  expect(bytesOfDtype(dtype)).toBe(bytes);
});

test.each(["float6_e3m2", "", "Float32", "torch.float32", "toString", "__proto__"])("%j is unsized", (dtype) => {
  expect(bytesOfDtype(dtype)).toBeUndefined();
});
