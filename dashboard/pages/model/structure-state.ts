// What the model page keeps in its URL, as the tree and the graph want it.
import type { ModelSearch } from "../../app/url-state.ts";
import type { TreeState } from "./tree-state.ts";

const rootPath = "."; // the root in the URL, where an empty value is no value

export function treeStateOf({ toggled, unfold, expand }: Pick<ModelSearch, "toggled" | "unfold" | "expand">): TreeState {
  return { toggled: pathsOf(toggled), unfolded: pathsOf(unfold), all: expand === "all" };
}

export function searchOfState({ toggled, unfolded, all }: TreeState): Partial<ModelSearch> {
  return { toggled: textOf(toggled), unfold: textOf(unfolded), expand: all ? "all" : undefined };
}

// The selected module: any copy's path; undefined is none.
export function pathOf({ path }: Pick<ModelSearch, "path">): string | undefined {
  return path === rootPath ? "" : path;
}

export function searchOfPath(path: string | undefined): Pick<ModelSearch, "path"> {
  return { path: path === "" ? rootPath : path };
}

// Divided by commas. The root's own path is empty, so it is written as the root; a comma in a name, which torch allows, is "~," and a tilde "~~".
function pathsOf(text = ""): ReadonlySet<string> {
  const paths = text.match(/(?:~.|[^~,])+/g) ?? [];
  return new Set(paths.map((path) => (path === rootPath ? "" : path.replaceAll(/~(.)/g, "$1"))));
}

function textOf(paths: ReadonlySet<string>): string | undefined {
  return paths.size === 0 ? undefined : [...paths].map((path) => (path === "" ? rootPath : path.replaceAll(/[~,]/g, "~$&"))).join(",");
}
