// Rows into and out of the rig's ClickHouse the way the product does it: Native blocks in, checked rows out.
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { z } from "zod";
import type { Query } from "#clickhouse/client.ts";
import { encodeNative, type NativeBlock } from "#clickhouse/native.ts";
import type { TenantScope } from "#clickhouse/scope.ts";
import type { Engine, EngineParams } from "#test/rig/engine.ts";

let blocks = 0;

// The engine reads the bytes from a file: binary data beside the SQL text would end at the first empty line.
export async function insertBlock(engine: Engine, table: string, block: NativeBlock): Promise<void> {
  const file = join(tmpdir(), `lamella-block-${process.pid}-${blocks++}.bin`);
  writeFileSync(file, encodeNative(block));
  try {
    await engine.command(`INSERT INTO ${table} (${block.columns.map(({ name }) => name).join(", ")}) FROM INFILE '${file}' FORMAT Native`);
  } finally {
    rmSync(file);
  }
}

export async function ask<Row extends z.ZodType>(engine: Engine, scope: TenantScope, query: Query & { row: Row }): Promise<z.infer<Row>[]> {
  const rows = await engine.query(query.sql, { ...query.params, tenant: scope.tenantId } as EngineParams);
  return rows.map((row) => query.row.parse(row));
}
