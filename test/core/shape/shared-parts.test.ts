import { expect, test } from "vitest";
import { tieKnots } from "#core/shape/knots.ts";
import { checkSharedParts, sharedParts } from "#core/shape/shared-parts.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "./draw-shape.ts";

const pathsOf = (body: ShapeBody): string[] => {
  const nameOf = (position: readonly number[]): string => {
    let module = body.modules[body.root]!;
    return position.map((at) => {
      if (at < 0) return module.tensors.at(at)!.name;
      const { name, module: row } = module.children[at]!;
      module = body.modules[row]!;
      return name;
    }).join(".");
  };
  return [...sharedParts(tieKnots(body).places)].map(({ alias, parts }) => `${nameOf(alias.position)} = ${parts.map(({ position }) => nameOf(position)).join(" + ")}`);
};

test("an alias stands for what it shares, what is shared in there, and what the aliases in there stand for", () => {
  const body = drawShape(
    `
    Net
      x Linear weight:float32[4]
      one Block
        a Linear weight:float32[4]
        b Linear weight:float32[4]
      two Block
        a Linear weight:float32[4]
        b Linear weight:float32[4]
      b Linear weight:float32[4]`,
    { "one.a": "x", two: "one", b: "one.b" },
  );
  expect(pathsOf(body)).toEqual(["one.a = x", "two = one + x + one.b", "b = one.b"]);
});

test("1,100 shared tensors of a module that 1,000 aliases share are over the bound", () => {
  const tensors = Array.from({ length: 1_100 }, (_, i) => `w${i}`);
  const copies = Array.from({ length: 1_000 }, (_, i) => `c${i}`);
  const [held] = drawShape(`Held ${tensors.map((name) => `${name}:int8[2]`).join(" ")}`).modules;
  const body = (aliases: number): ShapeBody => ({
    architecture: "", modules: [held!, { className: "Net", tensors: [], children: ["x", "t", ...copies].map((name) => ({ name, module: 0 })) }], root: 1,
    aliases: [...tensors.map((name) => ({ path: `t.${name}`, target: `x.${name}` })), ...copies.slice(0, aliases).map((path) => ({ path, target: "t" }))],
  });
  expect(checkSharedParts(body(900))).toBeUndefined(); // 1,100 + 900 × 1,101
  expect(checkSharedParts(body(1_000))).toEqual({ code: "limit_exceeded", detail: expect.stringContaining("sharedPartsMax = 1000000") });
});
