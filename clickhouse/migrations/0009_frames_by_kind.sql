-- What is asked of a stack most often, so that not all of its frames must be read for it: its distinct kernels and layers, and one bit for each kind of frame it has.
ALTER TABLE stacks {{on_cluster}}
  ADD COLUMN IF NOT EXISTS kinds UInt16 MATERIALIZED toUInt16(arrayReduce('groupBitOr', arrayMap(frame -> bitShiftLeft(1::UInt16, bitAnd(frame, 15)), frames))) CODEC(ZSTD(1)),
  ADD COLUMN IF NOT EXISTS kernels Array(UInt64) MATERIALIZED arrayDistinct(arrayFilter(frame -> bitAnd(frame, 15) = 5, frames)) CODEC(ZSTD(3)),
  ADD COLUMN IF NOT EXISTS layers Array(UInt64) MATERIALIZED arrayDistinct(arrayFilter(frame -> bitAnd(frame, 15) = 6, frames)) CODEC(ZSTD(3));
