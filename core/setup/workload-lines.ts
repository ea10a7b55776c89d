// The workload with the injected library, on each platform. What is the engine's own stays as its documentation has it.
import { engineRuns } from "./engine-run.ts";
import { injectedVariables } from "./injected-variables.ts";
import type { Platform, SetupChoice } from "./setup-choice.ts";
import { commandLines, shellWord, yamlText } from "./shell-word.ts";

export function workloadLines(choice: SetupChoice): string {
  return byPlatform[choice.platform](choice);
}

const byPlatform: Readonly<Record<Platform, (choice: SetupChoice) => string>> = { docker, kubernetes, slurm, "bare-metal": bareMetal };

const privileged = (choice: SetupChoice) => choice.pcSampling && choice.gpu === "nvidia";

function docker(choice: SetupChoice): string {
  const { engine, gpu } = choice;
  const { image, command, port } = engineRuns[engine];
  const own = engine === "triton" ? ['-v "$PWD/models:/models"'] : engine === "pytorch" ? ['-v "$PWD:/workspace" -w /workspace'] : ["-v ~/.cache/huggingface:/huggingface -e HF_HOME=/huggingface"];
  const ports = engine === "triton" ? "-p 8000:8000 -p 8001:8001 -p 8002:8002" : port === null ? "" : `-p ${port}:${port}`;
  // vLLM's CUDA image starts `vllm serve` by itself.
  const started = engine === "vllm" && gpu === "nvidia" ? [command.slice(1).join(" ")] : [command.join(" ")];
  return commandLines([
    `docker run --rm --ipc=host${ports === "" ? "" : ` ${ports}`}`,
    gpu === "nvidia" ? "--gpus all" : "--device /dev/kfd --device /dev/dri --group-add video --security-opt seccomp=unconfined",
    ...own,
    "-v /opt/lamella:/opt/lamella:ro",
    ...injectedVariables(choice).map(([name, value]) => `-e ${name}=${shellWord(value)}`),
    ...(privileged(choice) ? ["--privileged"] : []),
    image[gpu],
    ...started,
  ]);
}

// The parts of the workload's own manifest that change; the rest of it stays as it is.
function kubernetes(choice: SetupChoice): string {
  return [
    "spec:",
    "  template:",
    "    spec:",
    "      containers:",
    `        - name: ${choice.engine}   # the name of your container`,
    "          env:",
    ...injectedVariables(choice).flatMap(([name, value]) => [`            - name: ${name}`, `              value: ${yamlText(value)}`]),
    "          volumeMounts:",
    "            - { name: lamella, mountPath: /opt/lamella, readOnly: true }",
    ...(privileged(choice) ? ["          securityContext:", "            privileged: true"] : []),
    "      volumes:",
    "        - name: lamella",
    "          hostPath: { path: /opt/lamella, type: Directory }",
  ].join("\n");
}

function slurm(choice: SetupChoice): string {
  const { command } = engineRuns[choice.engine];
  return [
    "#!/bin/bash",
    `#SBATCH --job-name=${choice.engine}`,
    "#SBATCH --gpus-per-node=1",
    "",
    ...injectedVariables(choice).map(([name, value]) => `export ${name}=${shellWord(value)}`),
    "",
    "# srun hands the environment on to every task.",
    `srun ${commandLines(command)}`,
  ].join("\n");
}

function bareMetal(choice: SetupChoice): string {
  const { command } = engineRuns[choice.engine];
  const variables = injectedVariables(choice).map(([name, value]) => `${name}=${shellWord(value)}`);
  // PC sampling needs root; the environment's Python and the model cache stay the user's own.
  if (privileged(choice)) return commandLines(['sudo env "PATH=$PATH" HF_HOME="$HOME/.cache/huggingface"', ...variables, command.join(" ")]);
  return commandLines([variables[0]!, ...variables.slice(1), command.join(" ")]);
}
