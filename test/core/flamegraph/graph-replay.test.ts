import { expect, test } from "vitest";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { replayedTotal } from "#core/flamegraph/graph-replay.ts";
import { drawProfile, foldedRowsOf } from "#test/rig/stacks.ts";

const total = (drawing: string) => replayedTotal(flamegraphColumns(foldedRowsOf(drawProfile(drawing)), "cuda"));

test("what lies below the launch of a graph, on either vendor's GPU, once", () => {
  expect(total(`
    main                     main                       main                         cudaGraphLaunch
    cudaGraphLaunch:gpu_api  hipGraphLaunch:gpu_api     cudaLaunchKernel:gpu_api     k:gpu_kernel
    k:gpu_kernel             cuGraphLaunch:gpu_api      k:gpu_kernel                 1000
    30                       7                          500
  `)).toBe(37);
  expect(total(`
    main
    k:gpu_kernel
    5
  `)).toBe(0);
});
