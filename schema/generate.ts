// `npm run generate`: everything that is made from the contract. schema/gen from schema/proto (buf), docs/errors.md from errors.ts.
// With --breaking-base also schema/proto/breaking-base.binpb, the contract that later changes are compared with: run so when a version is released.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { errorsMarkdown } from "./errors-markdown.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const proto = join(root, "schema/proto");
const bin = join(root, "node_modules/.bin");

function buf(...args: string[]): void {
  // buf looks for its plugin and the plugin for its Node along PATH.
  execFileSync(join(bin, "buf"), args, { cwd: proto, stdio: "inherit", env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` } });
}

buf("lint");
buf("generate", "--clean");
if (process.argv.includes("--breaking-base")) buf("build", "--exclude-source-info", "-o", "breaking-base.binpb");
writeFileSync(join(root, "docs/errors.md"), errorsMarkdown());
