// What script a browser loads, in bytes as they travel (gzip): read from Vite's own manifest of a production build with the dashboard's own config.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Manifest } from "vite";
import { root } from "#local/worker.ts";

export type ScriptSizes = {
  readonly first: number; // what index.html loads, whatever the page
  readonly lazy: Readonly<Record<string, number>>; // source file of each chunk that is loaded later → what it adds to `first` and to the page that loads it
  readonly workers: Readonly<Record<string, number>>; // scripts of workers, loaded when one is started
};

export async function scriptSizes(): Promise<ScriptSizes> {
  const outDir = mkdtempSync(join(tmpdir(), "lamella-build-"));
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production"; // a test runner sets another, and React would come out as its slow development build
  try {
    await build({ configFile: join(root, "dashboard/vite.config.ts"), logLevel: "error", build: { outDir, manifest: true } });
    return sizesOf(outDir);
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
    rmSync(outDir, { recursive: true, force: true });
  }
}

function sizesOf(outDir: string): ScriptSizes {
  const manifest = JSON.parse(readFileSync(join(outDir, ".vite/manifest.json"), "utf8")) as Manifest;
  const bytes = (file: string) => gzipSync(readFileSync(join(outDir, file))).length;
  const sum = (files: Iterable<string>) => [...files].reduce((total, file) => total + bytes(file), 0);
  const closure = (key: string, found = new Set<string>()): Set<string> => {
    const chunk = manifest[key]!;
    if (found.has(chunk.file)) return found;
    found.add(chunk.file);
    for (const next of chunk.imports ?? []) closure(next, found);
    return found;
  };
  const entry = Object.keys(manifest).find((key) => manifest[key]!.isEntry)!;
  const atFirst = closure(entry);
  const html = readFileSync(join(outDir, "index.html"), "utf8");
  for (const [, file] of html.matchAll(/<script[^>]* src="\/([^"]+)"/g)) atFirst.add(file!);
  const lazy: Record<string, number> = {};
  for (const [key, chunk] of Object.entries(manifest)) {
    if (!chunk.isDynamicEntry) continue;
    const loaders = Object.keys(manifest).filter((one) => manifest[one]!.dynamicImports?.includes(key));
    lazy[key] = Math.max(...loaders.map((loader) => {
      const there = closure(loader);
      return sum([...closure(key)].filter((file) => !atFirst.has(file) && !there.has(file)));
    }));
  }
  const workers: Record<string, number> = {};
  for (const file of readdirSync(join(outDir, "assets"))) {
    const name = /^(.*-worker)-[\w-]+\.js$/.exec(file)?.[1];
    if (name !== undefined) workers[name] = bytes(`assets/${file}`); // a build of their own, which the manifest does not list
  }
  return { first: sum(atFirst), lazy, workers };
}
