// Where the graph on screen comes from. What asks the server about it (table, export, filter) is only there for what is stored.
import { createContext } from "react";

export const FlamegraphOrigin = createContext<"stored" | "file">("stored");
