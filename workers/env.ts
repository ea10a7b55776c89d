// The Worker's bindings and variables, checked once: a bad environment answers with a sentence, not with a random TypeError later.
import type { StoreConfig } from "#clickhouse/client.ts";
import type { UploadMessage } from "#schema/upload-message.ts";

export type Env = {
  readonly ASSETS: Fetcher;
  readonly UPLOADS: Queue<UploadMessage>;
  readonly BODIES: R2Bucket;
  readonly CONTROL: D1Database;
  readonly INGEST_LIMIT_TOKEN?: RateLimit;
  readonly INGEST_LIMIT_TENANT?: RateLimit;
  readonly QUERY_LIMIT?: RateLimit;
  readonly SIGN_IN_LIMIT?: RateLimit;
  readonly CLICKHOUSE_URL: string;
  readonly CLICKHOUSE_DATABASE: string;
  readonly CLICKHOUSE_READER_USER: string;
  readonly CLICKHOUSE_READER_PASSWORD: string;
  readonly CLICKHOUSE_WRITER_USER: string;
  readonly CLICKHOUSE_WRITER_PASSWORD: string;
  readonly CLICKHOUSE_REMOTE: "0" | "1";
  readonly EMBEDDED: "0" | "1";
  readonly VERSION: string;
};

const required = ["CLICKHOUSE_URL", "CLICKHOUSE_DATABASE", "CLICKHOUSE_READER_USER", "CLICKHOUSE_WRITER_USER", "UPLOADS", "BODIES", "CONTROL"] as const;

export function storeConfig(env: Env): StoreConfig {
  const missing = required.filter((name) => !env[name]);
  if (missing.length > 0) throw new Error(`the Worker lacks ${missing.join(", ")}: see wrangler.toml and docs/deploy.md`);
  return {
    url: env.CLICKHOUSE_URL,
    database: env.CLICKHOUSE_DATABASE,
    reader: { user: env.CLICKHOUSE_READER_USER, password: env.CLICKHOUSE_READER_PASSWORD ?? "" },
    writer: { user: env.CLICKHOUSE_WRITER_USER, password: env.CLICKHOUSE_WRITER_PASSWORD ?? "" },
    remote: env.CLICKHOUSE_REMOTE === "1",
  };
}
