// The steps that bring a workload's profiles into a tenant, in order: what works today, and what needs the injected library and the host agent.
import { agentLines } from "./agent-lines.ts";
import { engineRuns } from "./engine-run.ts";
import { engines, type SetupChoice, type SetupStep } from "./setup-choice.ts";
import { shellWord } from "./shell-word.ts";
import { traceLines } from "./trace-lines.ts";
import { workloadLines } from "./workload-lines.ts";

export function setupSteps(choice: SetupChoice): SetupStep[] {
  const { engine, endpoint, shapes } = choice;
  const { metricsUrl, metricsNote = "" } = engineRuns[engine];
  return [
    {
      id: "server", when: "today", title: "Name the server",
      about: "For everything below, in the shell of the machine that runs it.",
      lines: [`export LAMELLA_URL=${shellWord(endpoint)}`, "export LAMELLA_TOKEN='PASTE-A-TOKEN'"].join("\n"),
    },
    ...(shapes
      ? [{ id: "flag", when: "today" as const, title: "Show the Models page", about: "Off by default; Model Layer frames do not depend on it. The command needs a token with the scope admin.", lines: "npx lamella flag set models on" }]
      : []),
    {
      id: "structure", when: "today", title: "The structure of a model",
      about: "Read on the meta device, without weights and without a GPU; it becomes a row of the Models page.",
      lines: engine === "pytorch" ? "pip install ./agent-native/python\npython -m lamella.walk --script train.py" : "pip install ./agent-native/python\npython -m lamella.walk --name NAME --config config.json",
    },
    { id: "trace", when: "today", title: `A trace of ${engines[engine]}`, about: "Becomes an execution: flamegraph with Model Layer frames where the trace names modules, and a module tree with times.", lines: traceLines(engine) },
    ...(metricsUrl === null
      ? []
      : [
          {
            id: "metrics", when: "today" as const, title: "The engine's own metrics", about: `One before and one after the load: what happened between them. ${metricsNote}`.trim(),
            lines: [`curl -s ${metricsUrl} > before.txt`, `curl -s ${metricsUrl} > after.txt`, "npx lamella metrics import before.txt after.txt"].join("\n"),
          },
        ]),
    { id: "agent", when: "agent", title: "The host agent, once on every node", about: "Finds the engines on its node, attributes kernels to layers, reads the engines' metrics and uploads every minute.", lines: agentLines(choice) },
    { id: "workload", when: "agent", title: `${engines[engine]} with the injected library`, about: aboutWorkload(choice), lines: workloadLines(choice) },
  ];
}

function aboutWorkload({ platform, gpu, pcSampling, log }: SetupChoice): string {
  return [
    platform === "kubernetes" ? "Add these lines to the workload's manifest." : "The lines with lamella in them are ours; the rest is as you start it today.",
    pcSampling && gpu === "amd" ? "PC sampling is available on NVIDIA GPUs only and is left out." : "",
    log ? `The engine then writes: INFO ${gpu === "nvidia" ? "lamellacudaprofiler: loaded lamella CUDA profiler version …" : "lamellarocmprofiler: loaded lamella ROCm profiler version …"}` : "",
  ].filter((sentence) => sentence !== "").join(" ");
}
