// The wire contract: buf's lint, no breaking change against the committed image, generated code as committed.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const proto = join(root, "schema/proto");
const bin = join(root, "node_modules/.bin");
const base = join(proto, "breaking-base.binpb");
const folder = mkdtempSync(join(tmpdir(), "lamella-proto-"));
afterAll(() => rmSync(folder, { recursive: true }));

function buf(cwd: string, ...args: string[]): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(join(bin, "buf"), args, { cwd, encoding: "utf8", env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` } });
  return { status, text: `${stdout}${stderr}`.trim() };
}

test("lint finds nothing", () => {
  expect(buf(proto, "lint")).toEqual({ status: 0, text: "" });
});

test("schema/gen is what the contract generates: run npm run generate after a change", () => {
  const out = join(folder, "generated/proto");
  expect(buf(proto, "generate", "-o", out)).toEqual({ status: 0, text: "" });
  const files = (under: string) => Object.fromEntries(readdirSync(under, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts")).map((name) => [name, readFileSync(join(under, name), "utf8")]));
  const fresh = files(join(folder, "generated/gen"));
  expect(Object.keys(fresh).sort()).toEqual(readdirSync(join(proto, "lamella/v1")).map((name) => `lamella/v1/${name.replace(".proto", "_pb.ts")}`).sort());
  expect(files(join(root, "schema/gen"))).toEqual(fresh);
});

describe("changes against the committed image", () => {
  const copy = join(folder, "changed");
  beforeEach(() => {
    rmSync(copy, { recursive: true, force: true });
    cpSync(proto, copy, { recursive: true });
  });
  function change(file: string, from: string, to: string): { status: number | null; text: string } {
    const path = join(copy, "lamella/v1", file);
    const text = readFileSync(path, "utf8");
    expect(text).toContain(from);
    writeFileSync(path, text.replace(from, to));
    return buf(copy, "breaking", "--against", base);
  }

  test("none in the contract as it is", () => {
    expect(buf(proto, "breaking", "--against", base)).toEqual({ status: 0, text: "" });
  });

  test.each([
    ["a new field is none", "samples.proto", "  uint32 parts = 5;", "  string region = 12;\n  uint32 parts = 5;"],
    ["a new enum value is none", "samples.proto", "  SOURCE_WALK = 3;", "  SOURCE_WALK = 3;\n  SOURCE_REPLAY = 4;"],
    ["a changed comment is none", "samples.proto", "// who wrote it", "// the writer"],
  ])("%s", (_name, file, from, to) => {
    expect(change(file, from, to)).toEqual({ status: 0, text: "" });
  });

  test.each([
    ["a removed field", "samples.proto", "  uint32 parts = 5;", "  //", 'Previously present field "5" with name "parts" on message "SamplesUpload" was deleted'],
    ["a renumbered field", "samples.proto", "  uint32 parts = 5;", "  uint32 parts = 12;", 'Previously present field "5" with name "parts" on message "SamplesUpload" was deleted'],
    ["a renamed field", "sighting.proto", "string served_name = 2;", "string name_served = 2;", 'changed name from "served_name" to "name_served"'],
    ["a field of another type", "samples.proto", "repeated uint64 value = 4;", "repeated uint32 value = 4;", 'changed type from "uint64" to "uint32"'],
    ["a repeated field made single", "samples.proto", "repeated uint32 step = 6;", "uint32 step = 6;", 'changed cardinality from "repeated" to "optional'],
    ["a renumbered enum value", "samples.proto", "FRAME_KIND_OP = 7;", "FRAME_KIND_OP = 12;", 'Previously present enum value "7" on enum "FrameKind" was deleted'],
    ["a removed message", "execution.proto", /message Gap \{[\s\S]*?\n\}/.exec(readFileSync(join(proto, "lamella/v1/execution.proto"), "utf8"))![0], "message Hole {\n  string reason = 1;\n}", 'Previously present message "Gap" was deleted'],
  ])("%s is one", (_name, file, from, to, message) => {
    const found = change(file, from, to);
    expect(found.status).not.toBe(0);
    // The message itself, or an import that no longer builds.
    expect(found.text).toMatch(new RegExp(`${message.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}|cannot find|unknown type`));
  });
});
