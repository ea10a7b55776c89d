// Starts the embedded ClickHouse as a process of its own and waits until it answers.
// Invariant: the child ends with this process, however this process ends (the IPC channel closes).
import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { readCredentials, type Credentials } from "./access-config.ts";
import { threadPoolSize } from "./lane.ts";

export interface EmbeddedClickHouse {
  url: string; // http://127.0.0.1:PORT
  credentials: Credentials;
  process: ChildProcess;
  exited: Promise<number | null>; // exit code, null when a signal ended it
  stop(): Promise<void>;
}

const readyMsMax = 60_000;
const stderrLinesKept = 20;

export async function startClickHouse({ dataDir, port = 0, tenantSeconds }: { dataDir: string; port?: number; tenantSeconds?: number | undefined }): Promise<EmbeddedClickHouse> {
  const script = fileURLToPath(new URL("server.ts", import.meta.url));
  const budget = tenantSeconds === undefined ? [] : ["--tenant-seconds", String(tenantSeconds)];
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, "--data-dir", resolve(dataDir), "--port", String(port), ...budget], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, UV_THREADPOOL_SIZE: String(threadPoolSize) },
    detached: true, // Ctrl-C in a terminal goes to the parent alone, which stops its processes in order
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (line.trim() === "") return;
    lines.push(line);
    if (lines.length > stderrLinesKept) lines.shift();
    process.stderr.write(`clickhouse: ${line}\n`);
  });
  // "close" comes after the last line of stderr, "exit" may come before it.
  const exited = new Promise<number | null>((done) => child.on("close", (code) => done(code)));

  const ready = await new Promise<{ port: number }>((done, fail) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      fail(new Error(`the embedded ClickHouse was not ready within ${readyMsMax / 1000} s`));
    }, readyMsMax);
    createInterface({ input: child.stdout }).once("line", (line) => {
      clearTimeout(timer);
      done(JSON.parse(line) as { port: number });
    });
    child.on("error", fail);
    void exited.then((code) => {
      clearTimeout(timer);
      fail(new Error(lines.at(-1) ?? `the embedded ClickHouse ended with code ${code} before it was ready`));
    });
  });
  return {
    url: `http://127.0.0.1:${ready.port}`,
    credentials: readCredentials(dataDir),
    process: child,
    exited,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
