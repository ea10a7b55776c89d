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

// The root's own path is empty, so it is written as the root everywhere.
function pathsOf(text: string | undefined): ReadonlySet<string> {
  return new Set((text ?? "").split(",").filter((path) => path !== "").map((path) => (path === rootPath ? "" : path)));
}

function textOf(paths: ReadonlySet<string>): string | undefined {
  return paths.size === 0 ? undefined : [...paths].map((path) => (path === "" ? rootPath : path)).join(",");
}
