// GET /t/{tenant}/api/flamegraph/export: what a flamegraph shows, as a file for another tool. Nothing is cut: over a bound it is an error that says how much there is.
import { z } from "zod";
import { type ExportFormat, exportFormatNames, exportFormats } from "../export-formats.ts";
import { profileQuery, stackViewQuery } from "./flamegraph.ts";

export const flamegraphExportQuery = profileQuery.extend({
  ...stackViewQuery.shape,
  format: z.enum(exportFormatNames as [ExportFormat, ...ExportFormat[]]).describe(exportFormatNames.map((name) => `${name}: ${exportFormats[name].opens}`).join("; ")),
});

// Besides the file's own head, for those who only passed it on.
export const exportHeaders = {
  profileType: "x-lamella-profile-type",
  stacks: "x-lamella-stacks",
  execution: "x-lamella-execution", // the id; absent for live samples
  executionReason: "x-lamella-execution-reason", // as in a flamegraph
} as const;

export const exportContentTypes: readonly string[] = [...new Set(exportFormatNames.map((name) => exportFormats[name].contentType))];
