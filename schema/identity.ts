// Tokens, scopes and roles: closed lists.

export const scopes = {
  ingest: "send uploads",
  read: "read profiles, models and status",
  write: "replay quarantined uploads and change what the tenant keeps",
  admin: "tokens, flags, members, limits",
  mcp: "read through the MCP server",
} as const;
export type Scope = keyof typeof scopes;
export const scopeNames = Object.keys(scopes) as Scope[];

export const tokenKinds = ["agt", "api", "ci"] as const;
export type TokenKind = (typeof tokenKinds)[number];

export const roles = {
  owner: ["read", "write", "admin"],
  editor: ["read", "write"],
  viewer: ["read"],
} as const satisfies Record<string, readonly Scope[]>;
export type Role = keyof typeof roles;
