// The digest of a configuration in a file is the one that Python computes of it in memory. The expected values are config_digest(plain_config(…)) of
// agent-native/python/lamella, of the configuration that json.dump wrote as the text here.
import { expect, test } from "vitest";
import { configDigest } from "#core/shape/mapper/config-digest.ts";

const odd = String.raw`{"rope_theta": 1000000.0, "eps": 1e-06, "big": 9223372036854775808, "bigger": 9223372036854775809, "neg": -5, "\u00e9\u007f": "\u00fc\ud83d\ude00\"\\\n", "_private": 1, "nested": {"b": [1, 2.5, Infinity, null, true, false], "a": {}, "_x": {"y": 1}}, "list": [], "e": 1e+20, "z": -0.0}`;
const deep = Array.from({ length: 20 }, (_, level) => level).reduceRight((inner, level) => `{"d": ${inner}, "v": ${level}}`, "{}");

test.each([
  ["numbers as Python writes them, what JSON cannot write and private keys left out, ASCII", odd, "814bb8ea8030b41ec5265f3db135c16f89b7446973aadf5b3c303893d2d158ab"],
  ["what lies too deep left out", deep, "f95e8d82b6cc22cf62a4515b51d6d37ddcc3563e430cf899e33baef70b5580ff"],
  ["in other order and with other blanks", '{\n  "b":1 ,\t"a" : [ ] }', configDigest('{"config":{"a":[],"b":1}}')],
])("%s", (_, config, digest) => {
  expect(configDigest(`{"model": "config", "config": ${config}, "tree": {"config": {"x": 1}}}`)).toBe(digest);
});

test.each(['{"tree":{"config":{"a":1}}}', '{"config":{}}', '{"config":[1]}', '{"config":"a"}', '{"model":"config"}', '{"config":{"_a":1}}', '{"config":null}'])("no configuration in %s", (document) => {
  expect(configDigest(document)).toBe("");
});
