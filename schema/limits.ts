// Every bound of the system, in one place, each with its unit in the name and its reason beside it. A bound is enforced where its comment says;
// going over it is always an error that names the bound, never a silent cut.

export const limits = {
  // Ingest, for a 128 MB isolate: one message at a time, decoded into typed arrays.
  bodyBytesMax: 4 * 1024 * 1024, // as sent (gzip); accept answers 413 before reading when Content-Length says so, else while reading
  inflatedBytesMax: 8 * 1024 * 1024, // after gzip; counted while inflating, so a bomb is stopped at the bound
  doorBytesMax: 40 * 1024 * 1024, // bodies and what they inflate to, of all uploads at the door of one isolate; joining the pieces of one doubles it for a moment
  decodedBytesMax: 48 * 1024 * 1024, // what a small kind (not samples) becomes in memory, estimated from its wire before decoding: two bytes may become 1,700
  frameReferencesMax: 1_000_000, // frames of all stacks of one upload, counted from the raw bytes before decoding
  samplesPerUploadMax: 50_000, // one upload is one insert block per table: at most 50,000 rows of it
  sampleValueMax: 2 ** 48, // of one sample; in ns 78 hours. Sums are 64-bit in the store: 65,536 samples of this size fit
  stacksPerUploadMax: 20_000,
  framesPerUploadMax: 50_000,
  contextsPerUploadMax: 10_000,
  stringsPerUploadMax: 100_000,
  stackDepthMax: 1_024,
  nameBytesMax: 16_384, // real CUTLASS kernel names exceed 2 KB
  labelBytesMax: 256, // one value of a filterable field
  userTagsMax: 32,
  sightingsPerUploadMax: 1_000,
  partsPerExecutionMax: 1_000,
  executionNotesMax: 1_000, // gaps, and notes, of one; a trace has about ten
  executionTextBytesMax: 64 * 1024, // name, device, model, gaps and notes of one together: a page lists 200. A trace has a few kB
  executionDigestBytesMax: 1024 * 1024,
  forwardBytesMax: 512 * 1024, // of the forward analysis inside it; a 64-layer model has 33 kB, DeepSeek-V3.2 71 kB; the recorder cuts it by depth and says so
  metricsFileBytesMax: 64 * 1024 * 1024, // a dump or time series, read as a whole; a scrape of a busy engine is below 1 MB
  traceValueBytesMax: 16 * 1024 * 1024, // one event or metadata value of a trace file; a longer one is skipped and counted
  traceNestingMax: 512, // of JSON inside a trace file; real ones stay under 10
  traceSurveyRowsMax: 10_000, // rows the first of two readings holds at once; only what it learns from them is kept
  traceNumberHoldersMax: 64, // threads that carry one autograd number: with more it tells none of them apart
  traceStretchEventsMin: 100_000, // of a large trace linked at once, at least: some 10 MB
  profileFileBytesMax: 256 * 1024 * 1024, // after gzip, of a profile that is read whole (all but Chrome traces and databases); rocprofv3 JSON takes 6 times that in memory. A JavaScript text ends at 512 MiB
  profileMessageBytesMax: 64 * 1024 * 1024, // of those, pprof and OTLP as protobuf: their messages take up to 22 times that; real ones stay under 10 MiB
  benchmarkBytesMax: 64 * 1024 * 1024, // a benchmark's result file, gzip undone: read as a whole. 10,000 requests with 300 token gaps each have about 60 MB
  workloadsPerFileMax: 1_000, // runs in one file; sweeps have tens
  workloadRequestsPerUploadMax: 20_000, // one part of a workload: decoded about 15 MB
  workloadPartsMax: 1_000, // of one workload: 20 million requests
  workloadFiguresMax: 1_000, // named figures of one kind in an upload; a run has about 100
  workloadNotesMax: 1_000, // in an upload; a run has about five
  workloadTextBytesMax: 128 * 1024, // notes and names of figures in an upload together: a page lists 200 runs with theirs. A run has about 10 kB
  measuredValueMax: 1e30, // of a metric's point or a benchmark's figure, either sign: no quantity of a computer is larger, and 10^13 of them still have a sum
  requestMicrosecondsMax: 10_000_000_000_000, // of one request, 115 days: more is no measurement, and beyond 2^53 JSON rounds
  jsonNestingMax: 1_000, // lists and objects in one another, of a benchmark, a configuration, a digest, a forward analysis; real ones stay under 20
  modelConfigBytesMax: 16 * 1024 * 1024, // a config.json beside a benchmark; real ones have kilobytes
  itlSpikesPerRequestMax: 4, // the longest gaps between tokens that are kept with their time; what a timeline can show
  modelTreeBytesMax: 256 * 1024 * 1024, // a model_tree.json, gzip undone, read and written: held as a whole. one of 64 layers with source text has some 2 MB
  modulesPerShapeMax: 20_000, // distinct structures: a MoE of 94 × 128 experts has about 20; 150,000 would take 295 MB to decode
  modulesInTreeMax: 4_000_000, // after unfolding; DeepSeek-V3-like models have 60–90 k
  tensorsPerShapeMax: 50_000, // of distinct structures
  pipelineStagesMax: 128,
  stagesTextMax: 16 * 1024 * 1024, // characters of names and paths of all stages of a model together: they are merged in one isolate
  moduleDepthMax: 256,
  aliasesPerShapeMax: 100_000,
  layoutStepsMax: 100_000_000, // to find the tensors of a layout's patterns, of 10 ns each: rows × patterns that go through them. 94 × 128 experts that all differ take 4 million
  sharedPartsMax: 1_000_000, // what the aliases of a shape stand for, with those in what they share; a real one stands for one part
  sampleAgeDaysMax: 7, // agents spool at most this long; imports are filed at the time of import
  sampleFutureSecondsMax: 600,
  uploadsPerTokenPer10sMax: 600,
  uploadsPerTenantPer10sMax: 3_000,
  failedSignInsPerMinuteMax: 60,

  // Queue and consumer. Retry horizon <= 1 h; dedup windows of the tables hold twice the uploads of that horizon.
  queueRetriesMax: 20,
  retryDelaySecondsMax: 300, // 5 s, 10 s, … 300 s: 20 tries take about 70 minutes
  consumedAtOnceMax: 3, // small uploads stored side by side: each waits for the store most of its time
  consumedAtOnceBytesMax: 2 * 1024 * 1024, // inflated, together; a larger upload has the isolate to itself
  sweepAgeSeconds: 60, // bodies older than this with neither a ledger nor a quarantine row are queued again
  sweepUploadsPerRunMax: 5_000, // the local broker refuses above about 10,000 waiting messages
  bodyRetentionDays: 14, // R2 keeps the replay log this long
  deduplicationWindowBlocks: 240_000,

  // Query.
  filterBytesMax: 4_096,
  filterConditionsMax: 64,
  filterNestingMax: 16,
  filterListMax: 200,
  filterRegexBytesMax: 512,
  filterRegexStepsMax: 128, // of a pattern, or of all patterns of a search, with repetitions written out; [0-9a-f]{64} has 64. At worst a byte looked at then takes the store 3 µs
  filterProblemsMax: 20,
  searchBytesMax: 512,
  timeRangeDaysMax: 90,
  flamegraphNodesDefault: 8_192,
  flamegraphNodesMax: 65_536,
  exportStacksMax: 100_000, // of one file, which holds all of them
  exportNodesMax: 500_000, // of their tree: 40 bytes each, three times that while it is made
  focusFramesMax: 512, // of a path in the address, 17 characters each
  topRowsDefault: 100,
  topRowsMax: 1_000, // of one table; a kernel's name may have 16 kB
  topModuleRowsMax: 10_000, // of a table by module: all modules of a dense model with some hundred layers; 250 bytes a row
  timelinePointsMax: 1_000,
  moduleCopiesMax: 50_000, // layer frames one pattern stands for; an MoE of 94 × 128 experts has 36,000 with their projections
  modelsPerPageDefault: 100,
  modelsPerPageMax: 500,
  layoutsPerModelMax: 100, // of one shape, those stored last; a layout of Qwen3-32B is 2 kB, so one answer stays below 1 MB
  findHitsDefault: 50,
  findHitsMax: 500,
  findTermsMax: 16, // words of one search: one bit each
  findPatternStepsMax: 1_000, // of one word or regular expression, repetitions written out; a word of 512 characters has as many
  findPatternStatesMax: 10_000, // of one of them while it is matched: (a|b)*a(a|b){20} would have a million
  findStatesMax: 200_000, // of all words together, over all paths: what makes a search linear in the folded tree
  findStepsMax: 30_000_000, // of one search: characters read, each for each word, and nodes of expressions; about a second. 16 digits over 94 × 128 experts take 2 million
  compareModulesMax: 200_000, // pairs of modules that differ, folded; an MoE whose 94 × 128 experts all differ has 50,000
  compareStepsMax: 100_000_000, // of one comparison, of 10 ns each: names, places, changes kept, rows × patterns of layouts. 94 × 128 experts that all differ take 22 million
  compareIntervalsMax: 60, // of a side of two profiles: an hour in minutes; a module has a row of as many
  compareChangesDefault: 1_000,
  compareChangesMax: 10_000,
  shapeTextLinesMax: 200_000, // of a shape printed as a table, equal siblings folded; models have hundreds
  parallelSizeMax: 4_096, // ranks of one dimension of a what-if
  memoryCellsMax: 100_000, // modules told apart by more than an index × pipeline stages; DeepSeek-V3 in 61 stages has 5,000
  memoryStepsMax: 100_000_000, // of one what-if, of 10 ns each: the ways to what is shared, stage by stage. 64 layers that share ten modules over 16 stages take 200,000
  memoryTensorsMax: 500, // lines of the memory view; totals count all
  metricNamesMax: 5_000, // stored names in one list; an engine has about 100, each histogram 3 of them
  metricPlacesMax: 100, // hosts and models of a metric that the list names; it counts all
  metricStepsDefault: 250,
  metricStepsMax: 1_000, // of one answer: a histogram of 40 buckets has a row for each, and queryResultRowsMax is 200,000
  fieldValuesMax: 50,
  valueHoursMax: 6, // of a range whose label values are counted in the samples themselves, 25 ns a row; over longer ones by whole days from a side table
  frameValueHoursMax: 12, // of a range that kernels and modules are counted in: with 100,000 stacks an hour a completion takes 75 to 95 ms on one core, over a day 20 more
  executionsPerPage: 200,
  workloadsPerPage: 200,
  workloadRequestsPerPageDefault: 1_000,
  workloadRequestsPerPageMax: 20_000, // about 3 MB of columns: what the workload page draws at once
  csvErrorCharactersMax: 16 * 1024 * 1024, // of one page of requests as CSV, which repeats a text in every row
  workloadErrorsMax: 20, // distinct error texts that a summary tells; it counts all
  queryMsMax: 20_000,
  queryMemoryBytesMax: 4_000_000_000,
  queryRowsToReadMax: 2_000_000_000,
  queryResultRowsMax: 200_000,
  queryResultBytesMax: 64 * 1024 * 1024,
  // Of all queries of a tenant together; docs/deploy.md has the quota of the same figures.
  querySecondsPerTenantPerMinuteMax: 120, // of execution: two queries at every moment. A page asks some ten of less than a second
  queryRowsToReadPerTenantPerMinuteMax: 20_000_000_000, // ten of the largest queries
  queriesPerUserPerMinuteMax: 600,

  // Identity.
  tokenCacheSecondsMax: 5, // revocation is seen everywhere within 10 s: this cache plus the read
  flagCacheSecondsMax: 5,
  tokenDaysMax: 365,
  tokenDaysDefault: 90,
  tokensPerTenantMax: 1_000,
  sessionMinutes: 12 * 60,
  signInLinkMinutes: 15,
  tokenLastUsedSeconds: 600, // last_used_at is written at most this often
} as const;

export type Limit = keyof typeof limits;

// Days a tenant's rows are kept; part of every fact table's partition key.
export const retentionDaysChoices = [7, 30, 90, 180] as const;
export const retentionDaysDefault = 30;
