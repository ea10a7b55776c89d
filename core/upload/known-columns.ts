// Bits of WorkloadUpload.known: which numbers of a request its file gives. A column without its bit holds 0 and means absent.
export const knownColumns = { startUs: 1, ttftUs: 2, latencyUs: 4, inputTokens: 8, outputTokens: 16, clientQueueUs: 32, queueUs: 64, prefillUs: 128 } as const;

export const knownByDefault = knownColumns.startUs | knownColumns.ttftUs | knownColumns.latencyUs | knownColumns.inputTokens | knownColumns.outputTokens; // of an upload without the column
