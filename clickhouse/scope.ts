// The first wall between tenants: every function that reads or writes a tenant's rows takes a TenantScope, and only workers/auth makes one
// (house.test.ts holds that). A scope names one tenant; nothing in a request can change it afterwards.

declare const brand: unique symbol;

export type TenantScope = {
  readonly tenantId: string; // 16 characters a-z2-7, random, never reused
  readonly retentionDays: number; // 7 | 30 | 90 | 180: what new rows are written with and how far back reads go
  readonly [brand]: true;
};

export function tenantScope(tenantId: string, retentionDays: number): TenantScope {
  if (!/^[a-z2-7]{16}$/.test(tenantId)) throw new Error("a tenant id is 16 characters of a-z2-7");
  return { tenantId, retentionDays } as TenantScope;
}
