-- The control database (D1): who owns what. Times are Unix milliseconds. Nothing here is ever reused: a tenant id is random and stays retired.
CREATE TABLE IF NOT EXISTS tenants (
  id TEXT PRIMARY KEY, slug TEXT NOT NULL UNIQUE, name TEXT NOT NULL, retention_days INTEGER NOT NULL, embedded INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL, created_at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS members (
  tenant_id TEXT NOT NULL REFERENCES tenants(id), user_id TEXT NOT NULL REFERENCES users(id), role TEXT NOT NULL, joined_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
);
CREATE TABLE IF NOT EXISTS tokens (
  id TEXT PRIMARY KEY, tenant_id TEXT NOT NULL REFERENCES tenants(id), hash TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, scopes TEXT NOT NULL,
  job_tag TEXT, created_by TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, revoked_at INTEGER, last_used_at INTEGER
);
CREATE INDEX IF NOT EXISTS tokens_of_tenant ON tokens (tenant_id, created_at);
CREATE TABLE IF NOT EXISTS sessions (hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users(id), created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, revoked_at INTEGER);
CREATE TABLE IF NOT EXISTS sign_in_links (
  hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users(id), tenant_slug TEXT NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER
);
CREATE TABLE IF NOT EXISTS flags (
  tenant_id TEXT NOT NULL REFERENCES tenants(id), flag TEXT NOT NULL, "on" INTEGER NOT NULL, changed_by TEXT NOT NULL, changed_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, flag)
);
-- Append-only: no statement in the code updates or deletes it.
CREATE TABLE IF NOT EXISTS audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, tenant_id TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL,
  outcome TEXT NOT NULL, request_id TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS audit_of_tenant ON audit (tenant_id, id);
-- Accepted and not yet stored: written before the 202, removed after the ledger row. The sweep and "data is current to" read it.
CREATE TABLE IF NOT EXISTS pending (
  tenant_id TEXT NOT NULL, kind TEXT NOT NULL, upload_id TEXT NOT NULL, received_at INTEGER NOT NULL, body_bytes INTEGER NOT NULL, inflated_bytes INTEGER, queued_at INTEGER NOT NULL,
  sweeps INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (tenant_id, upload_id)
);
CREATE INDEX IF NOT EXISTS pending_by_age ON pending (queued_at);
CREATE TABLE IF NOT EXISTS quarantine (
  tenant_id TEXT NOT NULL, upload_id TEXT NOT NULL, kind TEXT NOT NULL, code TEXT NOT NULL, detail TEXT NOT NULL, body_bytes INTEGER NOT NULL,
  received_at INTEGER NOT NULL, at INTEGER NOT NULL, replayed_at INTEGER, PRIMARY KEY (tenant_id, upload_id)
);
