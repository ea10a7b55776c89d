// A process of its own that imports one trace file the way `lamella import` does, and prints what that took: milliseconds, and the most memory it ever held.
import { createReadStream } from "node:fs";
import { layerFrameName } from "#core/shape/frame-name.ts";
import { importLargeTrace, importTrace } from "#core/trace/import-trace.ts";

const [file = "", way = ""] = process.argv.slice(2);
const open = () => createReadStream(file, { highWaterMark: 1 << 18 }) as AsyncIterable<Uint8Array>;
const startedAt = performance.now();
const result = await (way === "large" ? importLargeTrace(open, { frameName: layerFrameName }) : importTrace(open(), { frameName: layerFrameName }));
if (!result.ok) throw new Error(result.error.reason);
console.log(JSON.stringify({ ms: performance.now() - startedAt, residentMb: process.resourceUsage().maxRSS / 1024, kernels: result.value.totals.kernels, moduleValue: result.value.totals.moduleValue }));
