// Bytes of one stored element by torch dtype (`torch.dtype.itemsize`), under torch's own name without "torch.".
// Packed dtypes (float4_e2m1fn_x2, quint4x2, bits…) count one stored element, as a tensor's dims do. A name that is not here is *unsized*: it counts no
// bytes and is shown as such, never guessed. The order is the order dtypes are listed in.

export const dtypeBytes = {
  bfloat16: 2,
  float16: 2,
  float32: 4,
  float64: 8,
  float8_e4m3fn: 1,
  float8_e4m3fnuz: 1,
  float8_e5m2: 1,
  float8_e5m2fnuz: 1,
  float8_e8m0fnu: 1,
  float4_e2m1fn_x2: 1,
  int8: 1,
  int16: 2,
  int32: 4,
  int64: 8,
  uint8: 1,
  uint16: 2,
  uint32: 4,
  uint64: 8,
  bool: 1,
  // Sub-byte integers: torch stores each in a byte of its own; quantisers pack them into uint8 or int32, and then `packedBits` says so.
  int1: 1,
  int2: 1,
  int3: 1,
  int4: 1,
  int5: 1,
  int6: 1,
  int7: 1,
  uint1: 1,
  uint2: 1,
  uint3: 1,
  uint4: 1,
  uint5: 1,
  uint6: 1,
  uint7: 1,
  complex32: 4,
  bcomplex32: 4,
  complex64: 8,
  complex128: 16,
  qint8: 1,
  quint8: 1,
  qint32: 4,
  quint4x2: 1,
  quint2x4: 1,
  bits1x8: 1,
  bits2x4: 1,
  bits4x2: 1,
  bits8: 1,
  bits16: 2,
} as const;

export const dtypeNames = Object.keys(dtypeBytes) as (keyof typeof dtypeBytes)[];

// Bytes of one stored element; undefined for an unsized dtype.
export function bytesOfDtype(dtype: string): number | undefined {
  return Object.hasOwn(dtypeBytes, dtype) ? dtypeBytes[dtype as keyof typeof dtypeBytes] : undefined;
}
