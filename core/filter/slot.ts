// What may stand at a place of a filter. One table serves both sides: what an error there expects, and what completion there offers.
import { methods, type Operator } from "./filter.ts";

export type Slot =
  | { readonly kind: "field" } // a condition begins
  | { readonly kind: "argument" } // the field inside has(…)
  | { readonly kind: "operator" | "in" | "list" | "method"; readonly field: string } // after a field; after `not`; the [ of a list; after a field and a dot
  | { readonly kind: "call" } // the ( of a method or of has
  | { readonly kind: "value"; readonly field: string; readonly operator: Operator }
  | { readonly kind: "separator"; readonly field: string } // after a value of a list
  | { readonly kind: "close" } // the ) of a call
  | { readonly kind: "connective"; readonly open: boolean }; // after a whole condition; open: inside parentheses

export const operatorWords: readonly string[] = ["==", "!=", "in", "not in", ...methods.map((method) => `.${method}(`)];

// In the words of error sentences.
export function expectedAt(slot: Slot): readonly string[] {
  switch (slot.kind) {
    case "field": return ["a field", "!", "("];
    case "argument": return ["a field"];
    case "operator": return operatorWords;
    case "in": return ["in"];
    case "list": return ["["];
    case "method": return methods;
    case "call": return ["("];
    case "value": return ["a quoted value"];
    case "separator": return [",", "]"];
    case "close": return [")"];
    case "connective": return ["&&", "||", slot.open ? ")" : "the end of the filter"];
  }
}
