// Names of Model Layer frames: the one seam between shapes and stacks. The agent and the recorder make the same names; schema/fixtures/frame_names.txt
// holds all of them to it. `<Class> <attribute>`; a child of an indexed container carries the container's name (`Qwen3DecoderLayer layers.17`);
// the root is the model.
import { attributeName } from "../module-path.ts";
import { unnamed } from "./display-name.ts";

export interface LayerName {
  className: string; // without its Python module: "Qwen3Attention"
  path: string; // dotted from the root: "model.layers.17.self_attn"; "" = the root
  modelName: string; // as displayName gives it; "" when unknown
}

export function layerFrameName({ className, path, modelName }: LayerName): string {
  if (path === "") return modelName || className || unnamed;
  return withClass(className, attributeName(path));
}

// What a search for the module's frames looks for. `lastPath` is the last copy's path when the node is folded or lies in something folded: where the names of
// the copies part, the search stops (`Qwen3DecoderLayer layers.`), and it matches every copy.
export function searchForModule({ className, path, modelName, lastPath = path }: LayerName & { lastPath?: string }): string {
  const [first, last] = [attributeName(path), attributeName(lastPath)];
  if (path === "" || first === last) return layerFrameName({ className, path, modelName });
  const [firstSteps, lastSteps] = [first.split("."), last.split(".")];
  const parting = firstSteps.findIndex((step, i) => step !== lastSteps[i]);
  return withClass(className, firstSteps.slice(0, parting).map((step) => `${step}.`).join(""));
}

function withClass(className: string, attribute: string): string {
  return className === "" || attribute === "" ? className || attribute : `${className} ${attribute}`;
}
