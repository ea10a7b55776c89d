// `npm test`: every suite, one after the other, and one closing line with the counts. `npm test -- unit flows` runs only those named.
// A suite whose toolchain is absent says so in one line with the remedy; with CI=true that is a failure, elsewhere a skip.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonWith } from "./rig/python.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name: string) => join(root, "node_modules/.bin", name);
const node = bin("node");
const ci = process.env.CI === "true";

// `failures`: what failed, each with the first lines of its message: repeated before the closing line, so that the end of a long log says it all.
type Counts = { passed: number; failed: number; skipped: number; failures: string[] };
const none: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
const messageLines = 8;

const suites: Record<string, { about: string; run: () => Promise<Counts> }> = {
  types: { about: "tsc, one project per room", run: types },
  lint: { about: "oxlint", run: async () => one(await command("lint", bin("oxlint"), ["--deny-warnings", "."])) },
  house: { about: "the layout and the import law as tests", run: () => vitest("house", ["test/house.test.ts"]) },
  unit: { about: "pure code, the command line, the Python wire", run: () => vitest("unit", ["test/schema/", "test/core/", "test/cli/", "test/dashboard/", "test/workers/", "test/rig/"]) },
  sql: { about: "real ClickHouse (chDB) and its front", run: () => vitest("sql", ["test/clickhouse/", "test/local/"]) },
  flows: { about: "the built Worker in workerd, end to end", run: () => vitest("flows", ["test/flows/"]) },
  browser: { about: "real Chromium", run: browser },
  cargo: { about: "Rust", run: cargo },
  python: { about: "pytest, with real PyTorch where it is installed", run: python },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in suites));
if (unknown.length > 0 || wanted.includes("--help")) {
  console.log(`npm test [-- suite …]\n${Object.entries(suites).map(([name, { about }]) => `  ${name.padEnd(8)} ${about}`).join("\n")}\nExample: npm test -- unit flows`);
  process.exit(unknown.length > 0 ? 2 : 0);
}

if (!process.env.LAMELLA_TEST_DATA) console.log("LAMELLA_TEST_DATA is not set: tests on public trace and config files will skip");

const total: Counts = { ...none, failures: [] };
const minutes: string[] = [];
for (const [name, suite] of Object.entries(suites)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n=== ${name}: ${suite.about}`);
  const startedAt = Date.now();
  const counts = await suite.run();
  for (const key of ["passed", "failed", "skipped"] as const) total[key] += counts[key];
  total.failures.push(...(counts.failures.length > 0 || counts.failed === 0 ? counts.failures : [""]).map((one) => `${name}: ${one || "failed, see above"}`));
  minutes.push(`${name} ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
}
if (total.failures.length > 0) console.log(`\n=== what failed\n${total.failures.join("\n")}`);
console.log(`\n${minutes.join(" · ")}`);
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);

async function types(): Promise<Counts> {
  const counts = { ...none };
  for (const project of ["schema", "core", "clickhouse", "workers", "dashboard", "local"]) {
    if ((await command(`types ${project}`, bin("tsc"), ["-p", join(root, project, "tsconfig.json")])) === 0) counts.passed++;
    else counts.failed++;
  }
  return counts;
}

async function browser(): Promise<Counts> {
  const chromium = process.env.LAMELLA_CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (chromium === undefined) return absent("browser", "Chromium is not installed: apt-get install chromium, or name it with LAMELLA_CHROMIUM");
  process.env.LAMELLA_CHROMIUM = chromium;
  return await vitest("browser", ["test/browser/"]);
}

async function cargo(): Promise<Counts> {
  if (spawnSync("cargo", ["--version"]).status !== 0) return absent("cargo", "cargo is not installed: see rustup.rs");
  const output: string[] = [];
  const code = await command("cargo", "cargo", ["test", "--quiet", "--locked", "--workspace"], { cwd: join(root, "agent-native"), collect: output });
  const counts = { ...none };
  for (const match of output.join("").matchAll(/test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/g)) {
    counts.passed += Number(match[1]);
    counts.failed += Number(match[2]);
    counts.skipped += Number(match[3]);
  }
  counts.failures = [...output.join("").matchAll(/^---- (.+) stdout ----\n([^]*?)(?=\n\n)/gm)].map((match) => failure(match[1]!, match[2]!));
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

async function python(): Promise<Counts> {
  const interpreter = pythonWith("pytest");
  if (interpreter === null) return absent("python", "no Python with pytest was found: pip install -r agent-native/python/requirements-test.txt, or name one with LAMELLA_PYTHON");
  const folder = mkdtempSync(join(tmpdir(), "lamella-test-"));
  const report = join(folder, "report.xml");
  const code = await command("python", interpreter, ["-m", "pytest", "-rs", "-p", "no:cacheprovider", `--junitxml=${report}`, "tests"], { cwd: join(root, "agent-native/python") });
  try {
    const xml = readFileSync(report, "utf8");
    const attribute = (name: string) => Number(new RegExp(`<testsuite [^>]*\\b${name}="(\\d+)"`).exec(xml)?.[1] ?? 0);
    const [failed, skipped] = [attribute("failures") + attribute("errors"), attribute("skipped")];
    const failures = [...xml.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"[^>]*><(?:failure|error) message="([^"]*)"/g)].map((match) => failure(`${match[1]} > ${match[2]}`, match[3]!.replaceAll("&#10;", "\n")));
    return { passed: attribute("tests") - failed - skipped, failed: failed > 0 ? failed : code === 0 ? 0 : 1, skipped, failures };
  } catch {
    return { ...none, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function vitest(name: string, paths: string[]): Promise<Counts> {
  const there = paths.filter((path) => existsSync(join(root, path)));
  if (there.length === 0) return absent(name, `${paths.join(", ")} do not exist`);
  const folder = mkdtempSync(join(tmpdir(), "lamella-test-"));
  const report = join(folder, "report.json");
  const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--reporter=default", "--reporter=json", `--outputFile=${report}`, ...there];
  const code = await command(name, node, ["--disable-warning=ExperimentalWarning", ...args]);
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numFailedTestSuites, testResults } = JSON.parse(readFileSync(report, "utf8")) as VitestReport;
    const failures = testResults.flatMap((file) => {
      const failed = file.assertionResults.filter((test) => test.status === "failed").map((test) => failure(`${relative(root, file.name)} > ${test.fullName}`, test.failureMessages.join("\n")));
      return failed.length === 0 && file.status === "failed" ? [failure(relative(root, file.name), file.message)] : failed;
    });
    return { passed: numPassedTests, failed: numFailedTests > 0 ? numFailedTests : code !== 0 ? Math.max(1, numFailedTestSuites) : 0, skipped: numPendingTests + numTodoTests, failures };
  } catch {
    return { ...none, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type VitestReport = Record<"numPassedTests" | "numFailedTests" | "numPendingTests" | "numTodoTests" | "numFailedTestSuites", number> & {
  testResults: { name: string; status: string; message: string; assertionResults: { status: string; fullName: string; failureMessages: string[] }[] }[];
};

function failure(name: string, message: string): string {
  const lines = message.split("\n").filter((line) => line.trim() !== "" && !line.includes("/node_modules/"));
  return [name, ...lines.slice(0, messageLines).map((line) => `    ${line}`), ...(lines.length > messageLines ? [`    … ${lines.length - messageLines} lines more above`] : [])].join("\n");
}

function absent(suite: string, remedy: string): Counts {
  console.log(`${suite}: ${ci ? "failed, its toolchain is missing" : "skipped"}. ${remedy}`);
  return ci ? { ...none, failed: 1 } : { ...none, skipped: 1 };
}

function one(code: number): Counts {
  return code === 0 ? { ...none, passed: 1 } : { ...none, failed: 1 };
}

async function command(what: string, program: string, args: string[], { cwd = root, collect }: { cwd?: string; collect?: string[] } = {}): Promise<number> {
  const path = `${join(root, "node_modules/.bin")}:${process.env.PATH}`;
  const child = spawn(program, args, { cwd, env: { ...process.env, PATH: path }, stdio: ["ignore", collect ? "pipe" : "inherit", "inherit"] });
  child.stdout?.on("data", (chunk: Buffer) => {
    collect?.push(chunk.toString());
    process.stdout.write(chunk);
  });
  const code = await new Promise<number>((done) => child.on("error", (error) => (console.error(`${what}: ${error.message}`), done(1))).on("close", (status) => done(status ?? 1)));
  if (code !== 0) console.error(`${what}: exit ${code}`);
  return code;
}
