// The house as code: layout, import law, words, errors. Each failure says which file broke which rule and what to do instead.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Route, routes } from "#schema/api/routes.ts";
import { errors } from "#schema/errors.ts";
import { limits } from "#schema/limits.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const rooms = ["schema", "core", "clickhouse", "workers", "dashboard", "cli", "local", "bench", "test"] as const;
type Room = (typeof rooms)[number];

const builtIn = new Set(["node"]);

// Which room may import which, and which packages. `node:` modules count as the package "node".
const law: Record<Room, { rooms: readonly Room[]; packages: readonly string[] }> = {
  schema: { rooms: [], packages: ["zod", "@bufbuild/protobuf", "node"] },
  core: { rooms: ["schema"], packages: ["@noble/hashes", "@bufbuild/protobuf"] },
  clickhouse: { rooms: ["schema", "core"], packages: ["@clickhouse/client-web", "zod"] },
  workers: { rooms: ["schema", "core", "clickhouse"], packages: ["hono", "jose", "zod", "@bufbuild/protobuf"] },
  dashboard: { rooms: ["schema", "core"], packages: ["react", "react-dom", "@tanstack/react-router", "@tanstack/react-query", "@tanstack/react-virtual", "d3-array", "d3-scale", "lucide-react", "uplot", "@fontsource-variable/inter", "@fontsource-variable/jetbrains-mono", "vite", "@vitejs/plugin-react", "zod", "node"] },
  cli: { rooms: ["schema", "core"], packages: ["node", "commander", "@bufbuild/protobuf", "zod"] },
  local: { rooms: ["schema", "core", "clickhouse", "workers", "cli"], packages: ["node", "chdb", "miniflare", "wrangler", "esbuild", "vite"] },
  bench: { rooms: ["schema", "core", "clickhouse", "workers", "cli", "local", "test"], packages: ["node", "chdb", "zod", "@bufbuild/protobuf"] },
  test: { rooms: [...rooms], packages: ["*"] },
};

// Generators and command entries are the only files of these rooms that may touch Node.
const nodeInRoom: Partial<Record<Room, readonly string[]>> = { schema: ["schema/generate.ts"], dashboard: ["dashboard/vite.config.ts"] };

// Rooms inside core that must not know one another; analysis stands on top of all.
const coreRooms = ["filter", "flamegraph", "shape", "trace", "workload"] as const;

function filesIn(folder: string, pattern = /\.tsx?$/): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => pattern.test(file) && !/(^|\/)(gen|node_modules|dist)\//.test(`${folder}/${file}`))
    .map((file) => join(folder, file));
}

type Import = { file: string; line: number; target: string; room: Room | null; inRoom: string | null; pkg: string | null };

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/(?:^|[^\w.])(?:import|export)\s[^"'`;]*?from\s*["']([^"']+)["']|import\s*\(\s*["']([^"']+)["']\s*\)|^import\s*["']([^"']+)["']/gm)].map((match) => {
    const target = match[1] ?? match[2] ?? match[3] ?? "";
    const line = text.slice(0, match.index).split("\n").length;
    if (target.startsWith("#")) return { file, line, target, room: target.slice(1).split("/")[0] as Room, inRoom: target.slice(1), pkg: null };
    if (target.startsWith(".")) {
      const path = relative(root, join(root, dirname(file), target));
      return { file, line, target, room: path.split("/")[0] as Room, inRoom: path, pkg: null };
    }
    const pkg = target.startsWith("node:") ? "node" : target.split("/").slice(0, target.startsWith("@") ? 2 : 1).join("/");
    return { file, line, target, room: null, inRoom: null, pkg };
  });
}

const everyFile = rooms.flatMap((room) => filesIn(room));

describe("the import law", () => {
  test.each(rooms)("%s imports only what the law allows", (room) => {
    const broken: string[] = [];
    for (const one of filesIn(room).flatMap(importsOf)) {
      const { rooms: allowedRooms, packages } = law[room];
      if (one.room !== null && one.room !== room && !allowedRooms.includes(one.room)) broken.push(`${one.file}:${one.line} imports ${one.target}: ${room} may import ${allowedRooms.join(", ") || "no other room"}`);
      if (one.pkg !== null && !packages.includes("*") && !packages.includes(one.pkg)) broken.push(`${one.file}:${one.line} imports the package ${one.pkg}: ${room} may use ${packages.join(", ")}`);
      if (one.pkg !== null && builtIn.has(one.pkg) && nodeInRoom[room] && !nodeInRoom[room].includes(one.file)) broken.push(`${one.file}:${one.line} imports ${one.target}: only ${nodeInRoom[room].join(", ")} may use Node in ${room}`);
    }
    expect(broken).toEqual([]);
  });

  test("the rooms of core do not know one another", () => {
    const broken = filesIn("core").flatMap(importsOf).filter((one) => {
      const from = coreRooms.find((name) => one.file.startsWith(`core/${name}/`));
      const to = coreRooms.find((name) => one.inRoom?.startsWith(`core/${name}/`));
      return from !== undefined && to !== undefined && from !== to;
    });
    expect(broken.map((one) => `${one.file}:${one.line} imports ${one.target}`)).toEqual([]);
  });

  test("the browser gets types of the contract, and of zod only zod/mini", () => {
    const broken = filesIn("dashboard").flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return [...text.matchAll(/^import (?!type )([^;]*?) from "(#schema\/api\/[^"]+|zod)";/gm)].filter((match) => !/^\{\s*(type [\w]+,?\s*)+\}$/.test(match[1]!)).map((match) => `${file}: ${match[0]}`);
    });
    expect(broken).toEqual([]);
  });

  test("core has no clock, no randomness, no input or output", () => {
    const broken = filesIn("core").flatMap((file) => {
      const code = codeOf(file);
      return [...code.matchAll(/Date\.now|new Date\(\)|Math\.random|\bfetch\(|\bconsole\.|\bprocess\.(env|argv|cwd|exit|std|hr|mem)|\bsetTimeout\b|\bcrypto\./g)].map((match) => `${file}: ${match[0]}`);
    });
    expect(broken).toEqual([]);
  });
});

describe("the walls between tenants", () => {
  test("only auth makes a TenantScope", () => {
    const makers = everyFile.filter((file) => !file.startsWith("test/") && !file.startsWith("bench/") && /\btenantScope\(/.test(codeOf(file)) && file !== "clickhouse/scope.ts");
    expect(makers.sort()).toEqual(["workers/auth/caller.ts", "workers/auth/scope-of-message.ts"]);
  });

  test("SQL lives in clickhouse/, and over D1 in workers/control/", () => {
    const sql = /\b(SELECT\s+\w+|SELECT\s+[*(]|INSERT INTO\s|UPDATE\s+\w+\s+SET\s|DELETE FROM\s|CREATE (TABLE|DATABASE|MATERIALIZED)\s|ALTER TABLE\s)/;
    const allowed = /^(clickhouse|workers\/control|test|bench|local)\//;
    expect(everyFile.filter((file) => !allowed.test(file) && sql.test(codeOf(file)))).toEqual([]);
  });

  test("nothing is ever changed or removed in the audit log", () => {
    const broken = everyFile.filter((file) => /(UPDATE|DELETE FROM)\s+audit\b/i.test(codeOf(file)) && !file.startsWith("test/"));
    expect(broken).toEqual([]);
  });
});

describe("names and sizes", () => {
  test("no room has a file called utils, helpers, common, misc, types, manager, service or index", () => {
    const broken = everyFile.filter((file) => /(^|\/)(utils?|helpers?|common|misc|types|manager|service|index)\.tsx?$/.test(file));
    expect(broken).toEqual([]);
  });

  test("file names are kebab-case", () => {
    const broken = everyFile.filter((file) => !/^[a-z0-9/.-]+$/.test(file));
    expect(broken).toEqual([]);
  });

  test("no hand-written file is longer than 400 lines", () => {
    const broken = everyFile.filter((file) => readFileSync(join(root, file), "utf8").split("\n").length > 400);
    expect(broken).toEqual([]);
  });

  test("no file only passes on what others export", () => {
    const broken = everyFile.filter((file) => {
      const lines = codeOf(file).split("\n").filter((line) => line.trim() !== "");
      return lines.length > 0 && lines.every((line) => /^export .* from /.test(line));
    });
    expect(broken).toEqual([]);
  });
});

describe("the repository", () => {
  const text = /\.(ts|tsx|mjs|json|md|toml|yaml|yml|sql|proto|py|rs|css|html|txt)$|^\.ci\/run$/;
  const listed = [...filesIn(".", text)].filter((file) => !/^(node_modules|dist|\.git|\.lamella|schema\/gen)\//.test(file) && !/(^|\/)(target|__pycache__|node_modules)\//.test(file) && statSync(join(root, file)).size < 2_000_000);

  test("holds no path of one machine and no registry host", () => {
    const machine = new RegExp(["(^|[^A-Za-z0-9_.])/(home|root|mnt|srv|w", "ork)/|registry\\.npm", "js\\.org|files\\.python", "hosted\\.org"].join(""));
    const broken = listed.filter((file) => file !== "package-lock.json" && machine.test(readFileSync(join(root, file), "utf8")));
    expect(broken).toEqual([]);
  });

  test("says nothing is unfinished", () => {
    const word = new RegExp(["\\bTO", "DO\\b|\\bFIX", "ME\\b|\\bXX", "X\\b|unimplemented!|to", "do!\\("].join(""));
    const broken = listed.filter((file) => file !== "test/house.test.ts" && word.test(readFileSync(join(root, file), "utf8")));
    expect(broken).toEqual([]);
  });
});

describe("errors and bounds", () => {
  test("docs/errors.md explains every code, and no other", () => {
    const explained = [...readFileSync(join(root, "docs/errors.md"), "utf8").matchAll(/^## `?([a-z_]+)`?/gm)].map((match) => match[1]!);
    expect(explained.sort()).toEqual(Object.keys(errors).sort());
  });

  test("every bound is used somewhere", () => {
    const code = everyFile.filter((file) => file !== "schema/limits.ts" && !file.startsWith("test/")).map(codeOf).join("\n");
    expect(Object.keys(limits).filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });

  test("routes behind a flag are the Models page's, and every route has a scope or says that any token will do", () => {
    const flagged = Object.entries<Route>(routes).filter(([, route]) => route.flag !== undefined).map(([name]) => name);
    expect(flagged).toEqual(["models", "model", "shapeCompare", "shape", "shapeModule", "shapeFind", "shapeMemory"]);
    expect(Object.entries<Route>(routes).filter(([, route]) => route.scope === null).map(([name]) => name)).toEqual(["me"]);
  });
});

// A file's code without comments: rules about code must not trip over words.
function codeOf(file: string): string {
  return readFileSync(join(root, file), "utf8").replace(/^\s*\/\*[\s\S]*?\*\//gm, "").replace(/(^|[^:"'`\\])\/\/.*$/gm, "$1");
}
