// The two scatters: what each has across and upwards. Upwards is a time.
import type { Requests } from "#core/workload/requests.ts";

export const scatterAxes = {
  ttft: { title: "TTFT against input length", across: "inputTokens", upwards: "ttftUs", acrossLabel: "input tokens", upwardsLabel: "TTFT" },
  decode: { title: "Decode against output length", across: "outputTokens", upwards: "decodeUs", acrossLabel: "output tokens", upwardsLabel: "decode" },
} as const satisfies Record<string, { title: string; across: keyof Requests; upwards: keyof Requests; acrossLabel: string; upwardsLabel: string }>;

export type ScatterName = keyof typeof scatterAxes;
