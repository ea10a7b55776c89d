// The lines of the setup page, for every engine on every platform. Shell lines are given to a real shell, in which the programs only say how they were called.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { type Engine, engines, type GpuVendor, notTogether, type Platform, platforms, type SetupChoice, tagsProblem } from "#core/setup/setup-choice.ts";
import { setupSteps } from "#core/setup/setup-steps.ts";

const choice = (more: Partial<SetupChoice> = {}): SetupChoice => ({
  engine: "vllm", platform: "docker", gpu: "nvidia", shapes: true, pcSampling: false, log: false, tags: "", cluster: "", endpoint: "https://lamella.example/t/acme", ...more,
});
const linesOf = (id: string, of: SetupChoice): string => setupSteps(of).find((step) => step.id === id)!.lines;

// Every program as a function that prints its name, the variables before it that are ours, and its words.
const programs = ["docker", "sudo", "env", "srun", "vllm", "python3", "python", "tritonserver", "trtllm-serve", "npx", "curl", "pip", "nsys", "kubectl"];
function calls(lines: string): string[][] {
  const told = [
    `told() { printf 'CALL\\0'; printf '%s\\0' "$@"; for v in \${!LAMELLA_*} \${!CUDA_*} \${!ROC*} RUST_LOG; do if [ -n "\${!v}" ]; then printf '%s\\0' "$v=\${!v}"; fi; done; }`,
    ...programs.map((name) => `${name}() { told ${name} "$@"; }`),
  ].join("\n");
  const output = execFileSync("/bin/bash", ["-c", `${told}\n${lines}`], { encoding: "utf8", env: { PATH: "/nowhere", HOME: "/home-of-ada" } });
  return output.split("CALL\0").slice(1).map((call) => call.split("\0").slice(0, -1));
}

// What each engine's process must be called with, written down from the engines' own documentation.
const command: Readonly<Record<Engine, string>> = {
  vllm: "vllm serve zai-org/GLM-4-9B-0414 --port 8000",
  sglang: "python3 -m sglang.launch_server --model-path zai-org/GLM-4-9B-0414 --host 0.0.0.0 --port 30000 --enable-metrics",
  triton: "tritonserver --model-repository /models",
  "tensorrt-llm": "trtllm-serve Qwen/Qwen3-8B --host 0.0.0.0 --port 8000",
  pytorch: "python train.py",
};
const nvidia = ["CUDA_INJECTION64_PATH=/opt/lamella/profiler/liblamellacudaprofiler.so", "LAMELLA_CUDAPROFILER__MODEL_SHAPE__ENABLED=true"];
const amd = [
  "ROCP_TOOL_LIBRARIES=/opt/lamella/profiler/liblamellarocmprofiler.so",
  "ROCPROFILER_REGISTER_LIBRARY=/opt/lamella/profiler/liblamellarocmprofiler.so",
  "LAMELLA_ROCMPROFILER__MODEL_SHAPE__ENABLED=true",
];
const combinations = (Object.keys(engines) as Engine[]).flatMap((engine) =>
  (Object.keys(platforms) as Platform[]).flatMap((platform) => (["nvidia", "amd"] as const).map((gpu): [Engine, Platform, GpuVendor] => [engine, platform, gpu])),
);

describe.each(combinations.filter(([engine, , gpu]) => notTogether({ engine, gpu }) === undefined))("%s on %s, %s", (engine, platform, gpu) => {
  const of = choice({ engine, platform, gpu });
  const variables = gpu === "nvidia" ? nvidia : amd;

  test("the workload is started as its documentation does, with exactly our variables", () => {
    const lines = linesOf("workload", of);
    if (platform === "kubernetes") {
      for (const one of variables) expect(lines).toContain(`            - name: ${one.split("=")[0]}\n              value: "${one.split("=")[1]}"`);
      expect(lines.match(/- name: (LAMELLA_|CUDA_|ROC)/g)).toHaveLength(variables.length);
      expect(lines).toContain("mountPath: /opt/lamella, readOnly: true");
      return;
    }
    const [call, ...others] = calls(lines);
    expect(others).toEqual([]);
    if (platform === "docker") {
      const words = call!.join(" ");
      expect(call!.filter((word, at) => call![at - 1] === "-e" && !word.startsWith("HF_HOME="))).toEqual(variables);
      expect(call).toContain("/opt/lamella:/opt/lamella:ro");
      expect(words).toContain(gpu === "nvidia" ? "--gpus all" : "--device /dev/kfd --device /dev/dri");
      // vLLM's CUDA image brings `vllm serve` itself.
      expect(words.endsWith(engine === "vllm" && gpu === "nvidia" ? command.vllm.replace("vllm serve ", "") : command[engine])).toBe(true);
    } else {
      const ours = (words: string[]) => words.filter((word) => /^(LAMELLA_|CUDA_|ROC)/.test(word));
      expect(new Set(ours(call!))).toEqual(new Set(variables));
      expect(call!.filter((word) => !ours([word]).length).join(" ")).toBe(platform === "slurm" ? `srun ${command[engine]}` : command[engine]);
    }
  });

  test("the agent gets the endpoint, and the token only by its environment", () => {
    const lines = linesOf("agent", { ...of, cluster: "prod-eu", tags: "team:search;env:prod" });
    if (platform === "kubernetes") expect(lines).toContain('args: ["--endpoint", "https://lamella.example/t/acme", "--cluster-name", "prod-eu", "--tags", "team:search;env:prod", "--enable-gpu-metrics"]');
    else expect(calls(lines)[0]!.join(" ")).toContain("--endpoint https://lamella.example/t/acme --cluster-name prod-eu --tags team:search;env:prod --enable-gpu-metrics");
    expect(lines).not.toMatch(/lml_|PASTE/);
    // Once: as a variable; never among the words of a program, which every user of the machine and sudo's log can read.
    if (platform !== "kubernetes") expect(calls(`LAMELLA_TOKEN=a-secret\n${lines}`)[0]!.filter((word) => word.includes("a-secret"))).toEqual(["LAMELLA_TOKEN=a-secret"]);
    expect(lines).not.toContain("--from-literal");
  });

  test("what works today needs no agent, and comes before what does", () => {
    const steps = setupSteps(of);
    expect(steps.map(({ when }) => when)).toEqual([...steps.filter(({ when }) => when === "today").map(() => "today"), "agent", "agent"]);
    for (const { id, lines, when } of steps) if (when === "today") expect(lines, id).not.toMatch(/lamella-profiler|liblamella/);
    expect(linesOf("trace", of)).toContain("npx lamella import ");
  });
});

test.each(["triton", "tensorrt-llm"] as const)("%s on AMD is refused with what to choose instead", (engine) => expect(notTogether({ engine, gpu: "amd" })).toContain("NVIDIA"));

test("without model shapes neither the variable nor the flag is named", () => {
  const steps = setupSteps(choice({ shapes: false }));
  expect(steps.map(({ lines }) => lines).join("\n")).not.toMatch(/MODEL_SHAPE|flag set models/);
  expect(setupSteps(choice()).map(({ id }) => id)).toContain("flag");
});

test.each([
  ["docker", /-e LAMELLA_CUDAPROFILER__ENABLE_PC_SAMPLING=true[^]*--privileged/],
  ["kubernetes", /ENABLE_PC_SAMPLING[^]*privileged: true/],
  ["bare-metal", /^sudo env "PATH=\$PATH" HF_HOME="\$HOME\/\.cache\/huggingface"[^]*ENABLE_PC_SAMPLING=true/],
] as const)("PC sampling has the privileges it needs: %s", (platform, lines) => {
  expect(linesOf("workload", choice({ platform, pcSampling: true }))).toMatch(lines);
  expect(linesOf("workload", choice({ platform, pcSampling: true, gpu: "amd" }))).not.toMatch(/PC_SAMPLING|privileged/);
});

test("the log of the start is switched on by its two variables", () => {
  expect(linesOf("workload", choice({ log: true }))).toMatch(/RUST_LOG=lamellacudaprofiler=info[^]*LAMELLA_CUDAPROFILER__QUIET=false/);
  expect(linesOf("workload", choice({ log: true, gpu: "amd" }))).toMatch(/RUST_LOG=lamellarocmprofiler=info[^]*LAMELLA_ROCMPROFILER__QUIET=false/);
});

test.each(["it's", "a b", "$(touch /tmp/x)", '"; npx evil; "', "`npx evil`", "a\\", "--flag", "{{x}}", "a: b # c"])("a value from a link stays one word, whatever it says: %s", (hostile) => {
  for (const platform of ["docker", "slurm", "bare-metal"] as const) {
    const made = calls(linesOf("agent", choice({ platform, cluster: hostile, tags: `k:${hostile}` })));
    expect(made).toHaveLength(1);
    expect(made[0]![made[0]!.indexOf("--cluster-name") + 1]).toBe(hostile);
    expect(made[0]![made[0]!.indexOf("--tags") + 1]).toBe(`k:${hostile}`);
  }
  expect(linesOf("agent", choice({ platform: "kubernetes", cluster: hostile }))).toContain(`"--cluster-name", ${JSON.stringify(hostile)},`);
  expect(calls(linesOf("server", choice({ endpoint: `https://x/t/${hostile}` }))), "only assignments").toEqual([]);
});

test.each([["", true], ["team:search", true], ["team:search;env:prod", true], ["team", false], ["team:", false], [";", false], ["a:b;", false], ["a:b:c", false]])("tags %j are well formed: %s", (tags, well) =>
  expect(tagsProblem(tags) === undefined).toBe(well));
