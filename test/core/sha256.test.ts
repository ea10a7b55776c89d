import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256Hex } from "#core/sha256.ts";

test("the published test vectors", () => {
  expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("text is hashed as UTF-8, bytes as they are; Node's own implementation agrees", () => {
  for (const text of ["naïve", "模型", "𝒳 and ｗ", "a".repeat(10_000)]) expect(sha256Hex(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 37) & 0xff);
  expect(sha256Hex(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
});
