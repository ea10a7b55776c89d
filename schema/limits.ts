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
  executionDigestBytesMax: 1024 * 1024,
  traceValueBytesMax: 16 * 1024 * 1024, // one event or metadata value of a trace file; a longer one is skipped and counted
  traceNestingMax: 512, // of JSON inside a trace file
  modulesPerShapeMax: 20_000, // distinct structures: a MoE of 94 × 128 experts has about 20; 150,000 would take 295 MB to decode
  modulesInTreeMax: 4_000_000, // after unfolding; DeepSeek-V3-like models have 60–90 k
  tensorsPerShapeMax: 50_000, // of distinct structures
  pipelineStagesMax: 128,
  stagesTextMax: 16 * 1024 * 1024, // characters of names and paths of all stages of a model together: they are merged in one isolate
  moduleDepthMax: 256,
  aliasesPerShapeMax: 100_000,
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
  filterProblemsMax: 20,
  searchBytesMax: 512,
  timeRangeDaysMax: 90,
  flamegraphNodesDefault: 8_192,
  flamegraphNodesMax: 65_536,
  modelsPerPageDefault: 100,
  modelsPerPageMax: 500,
  findHitsDefault: 50,
  findHitsMax: 500,
  findTermsMax: 16, // words of one search: one bit each
  findPatternStepsMax: 1_000, // of one word or regular expression, repetitions written out; a word of 512 characters has as many
  findPatternStatesMax: 10_000, // of one of them while it is matched: (a|b)*a(a|b){20} would have a million
  findStatesMax: 200_000, // of all words together, over all paths: what makes a search linear in the folded tree
  findStepsMax: 30_000_000, // of one search: characters read, each for each word, and nodes of expressions; about a second. 16 digits over 94 × 128 experts take 2 million
  compareModulesMax: 200_000, // pairs of modules that differ, folded; an MoE whose 94 × 128 experts all differ has 50,000
  compareChangesDefault: 1_000,
  compareChangesMax: 10_000,
  shapeTextLinesMax: 200_000, // of a shape printed as a table, equal siblings folded; models have hundreds
  parallelSizeMax: 4_096, // ranks of one dimension of a what-if
  memoryCellsMax: 100_000, // modules told apart by more than an index × pipeline stages; DeepSeek-V3 in 61 stages has 5,000
  memoryTensorsMax: 500, // lines of the memory view; totals count all
  fieldValuesMax: 50,
  executionsPerPage: 200,
  queryMsMax: 20_000,
  queryMemoryBytesMax: 4_000_000_000,
  queryRowsToReadMax: 2_000_000_000,
  queryResultRowsMax: 200_000,
  queryResultBytesMax: 64 * 1024 * 1024,
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
