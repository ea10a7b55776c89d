import { defineConfig } from "vitest/config";

export default defineConfig({
  // The base alone: the root tsconfig's references would make every test wait for every room.
  tsconfig: "tsconfig.base.json",
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/rig/property-seed.ts"],
    // A process per test file: the embedded ClickHouse takes one data directory per process.
    pool: "forks",
    isolate: true,
    // Two cores: more workers only make the engines fight for them.
    maxWorkers: 2,
    // For what never ends, not for what is slow on a busy machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
