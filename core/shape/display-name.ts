// The name a model goes by, on the Models page and on the root frame of its stacks.

export const unnamed = "unnamed";

export interface NameSources {
  servedName?: string | undefined; // what a serving framework calls it: "qwen3-prod"
  nameOrPath?: string | undefined; // Hugging Face: "Qwen/Qwen3-32B"
  architecture?: string | undefined; // "Qwen3ForCausalLM"
  rootClass?: string | undefined; // class of the root module
}

// The first that is known; "" is unknown.
export function displayName({ servedName, nameOrPath, architecture, rootClass }: NameSources): string {
  return servedName || nameOrPath || architecture || rootClass || unnamed;
}
