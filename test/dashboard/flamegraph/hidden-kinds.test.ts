import { expect, test } from "vitest";
import { hiddenKinds, toggleKind } from "#dashboard/pages/flamegraph/hidden-kinds.ts";

test("Model Layer is the layers parameter, every other kind is in the list, in one order", () => {
  expect(toggleKind({}, "layer")).toEqual({ layers: "hide", hide: undefined });
  expect(toggleKind({ layers: "hide" }, "python")).toEqual({ layers: "hide", hide: "python" });
  expect(toggleKind({ hide: "python" }, "native")).toEqual({ layers: undefined, hide: "native,python" });
});
test("folded layers stay folded while another kind comes and goes, and are shown again after they were hidden", () => {
  expect(toggleKind({ layers: "fold" }, "python")).toEqual({ layers: "fold", hide: "python" });
  expect(toggleKind(toggleKind({ layers: "fold" }, "layer"), "layer")).toEqual({ layers: undefined, hide: undefined });
});
test("a second click brings the kind back", () =>
  expect(toggleKind(toggleKind({ hide: "native" }, "layer"), "layer")).toEqual({ layers: undefined, hide: "native" }));
test("words that are no kinds hide nothing", () => expect(hiddenKinds({ hide: "dragons,python" })).toEqual(new Set(["python"])));
