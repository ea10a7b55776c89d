import { expect, test } from "vitest";
import { displayName } from "#core/shape/display-name.ts";

test.each([
  [{ servedName: "qwen3-prod", nameOrPath: "Qwen/Qwen3-32B", architecture: "Qwen3ForCausalLM", rootClass: "Qwen3ForCausalLM" }, "qwen3-prod"],
  [{ servedName: "", nameOrPath: "Qwen/Qwen3-32B", architecture: "Qwen3ForCausalLM", rootClass: "Qwen3ForCausalLM" }, "Qwen/Qwen3-32B"],
  [{ servedName: "", nameOrPath: "", architecture: "Qwen3ForCausalLM", rootClass: "DistributedDataParallel" }, "Qwen3ForCausalLM"],
  [{ servedName: "", nameOrPath: "", architecture: "", rootClass: "MyNet" }, "MyNet"],
  [{ servedName: "", nameOrPath: "", architecture: "", rootClass: "" }, "unnamed"],
  [{}, "unnamed"],
])("%o is called %s", (sources, name) => {
  expect(displayName(sources)).toBe(name);
});
