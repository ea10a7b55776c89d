// An embedded ClickHouse for one test file, in a folder of its own, and the requests a test sends to it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Role } from "#local/clickhouse/access-config.ts";
import { startClickHouse, type EmbeddedClickHouse } from "#local/clickhouse/start.ts";

export interface Answer {
  status: number;
  code: string | null; // X-ClickHouse-Exception-Code
  headers: Headers;
  bytes: Buffer;
  text: string;
}

export interface Send {
  params?: Record<string, string>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export class Embedded {
  readonly dataDir: string;
  clickhouse!: EmbeddedClickHouse;

  constructor() {
    this.dataDir = mkdtempSync(join(tmpdir(), "lamella-clickhouse-"));
  }

  async start(): Promise<this> {
    this.clickhouse = await startClickHouse({ dataDir: this.dataDir });
    return this;
  }

  async remove(): Promise<void> {
    await this.clickhouse.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async send(role: Role, body: string | Uint8Array, { params = {}, headers = {}, signal }: Send = {}): Promise<Answer> {
    const { user, password } = this.clickhouse.credentials[role];
    const response = await fetch(`${this.clickhouse.url}/?${new URLSearchParams(params)}`, {
      method: "POST",
      headers: { "X-ClickHouse-User": user, "X-ClickHouse-Key": password, ...headers },
      body: body as BodyInit,
      ...(signal && { signal }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, code: response.headers.get("X-ClickHouse-Exception-Code"), headers: response.headers, bytes, text: bytes.toString("utf8").trim() };
  }

  async write(body: string | Uint8Array, params: Record<string, string> = {}): Promise<Answer> {
    const answer = await this.send("writer", body, { params });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer;
  }

  // Asks until the answer is the awaited one; the test's own time limit is the bound.
  async until(sql: string, awaited: string): Promise<void> {
    while ((await this.write(sql)).text !== awaited);
  }
}

export const running = (name: string) => `SELECT count() FROM system.processes WHERE endsWith(Settings['log_comment'], 'query_id: ${name}')`;

// Runs until it is ended: 10^12 hashes.
export const endless = "SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1";
