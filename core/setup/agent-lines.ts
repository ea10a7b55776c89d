// The host agent, once on every node: it finds the engines, attributes layers, reads the engines' own metrics and uploads.
import type { SetupChoice } from "./setup-choice.ts";
import { commandLines, shellWord, yamlText } from "./shell-word.ts";

export function agentLines(choice: SetupChoice): string {
  if (choice.platform === "kubernetes") return daemonSet(choice);
  if (choice.platform === "docker") {
    return commandLines([
      "docker run -d --name lamella-profiler --restart unless-stopped",
      "--pid=host --privileged",
      "-v /opt/lamella:/opt/lamella",
      "-e LAMELLA_TOKEN", // by name: a value would stand in the list of processes
      "lamella-profiler",
      ...agentOptions(choice).map((words) => words.map(shellWord).join(" ")),
    ]);
  }
  const where = choice.platform === "slurm" ? "# on every node, from its start-up or as a service; jobs are told apart by slurm.job.id\n" : "";
  return where + commandLines(["sudo --preserve-env=LAMELLA_TOKEN /opt/lamella/bin/lamella-profiler", ...agentOptions(choice).map((words) => words.map(shellWord).join(" "))]);
}

function agentOptions({ endpoint, cluster, tags }: SetupChoice): string[][] {
  return [["--endpoint", endpoint], ...(cluster === "" ? [] : [["--cluster-name", cluster]]), ...(tags === "" ? [] : [["--tags", tags]]), ["--enable-gpu-metrics"]];
}

function daemonSet(choice: SetupChoice): string {
  return [
    "# printf %s \"$LAMELLA_TOKEN\" | kubectl create secret generic lamella --from-file=token=/dev/stdin",
    "apiVersion: apps/v1",
    "kind: DaemonSet",
    "metadata: { name: lamella-profiler }",
    "spec:",
    "  selector: { matchLabels: { app: lamella-profiler } }",
    "  template:",
    "    metadata: { labels: { app: lamella-profiler } }",
    "    spec:",
    "      hostPID: true",
    "      containers:",
    "        - name: lamella-profiler",
    "          image: lamella-profiler",
    `          args: [${agentOptions(choice).flat().map(yamlText).join(", ")}]`,
    "          env:",
    "            - name: LAMELLA_TOKEN",
    "              valueFrom: { secretKeyRef: { name: lamella, key: token } }",
    "          securityContext: { privileged: true }",
    "          volumeMounts:",
    "            - { name: lamella, mountPath: /opt/lamella }",
    "      volumes:",
    "        - name: lamella",
    "          hostPath: { path: /opt/lamella, type: DirectoryOrCreate }",
  ].join("\n");
}
