// How many layers a model has, from its Hugging Face configuration. The language model's count where a configuration has several parts; layers for
// speculative decoding (multi-token prediction) are not counted, as in the checkpoints.
import { isRecord, type JsonRecord } from "./json-record.ts";

const countNames = ["num_hidden_layers", "num_layers", "n_layer", "n_layers", "num_decoder_layers", "decoder_layers"];
const listNames = ["layers_block_type", "layer_types"]; // one entry a layer
const patternName = "hybrid_override_pattern"; // one character a layer, "-" and "|" included
const partNames = ["text_config", "llm_config", "language_config", "language_model", "thinker_config", "decoder"];

// Undefined when the configuration does not say.
export function layerCountOf(config: unknown): number | undefined {
  const parts: unknown[] = [config];
  for (let depth = 0; depth < 4 && parts.length > 0; depth++) {
    const level = parts.splice(0).filter(isRecord);
    for (const part of level) {
      const count = countIn(part);
      if (count !== undefined) return count;
    }
    for (const part of level) for (const name of partNames) parts.push(part[name]);
  }
  return undefined;
}

function countIn(config: JsonRecord): number | undefined {
  for (const name of countNames) {
    const count = config[name];
    if (Number.isInteger(count) && (count as number) > 0) return count as number;
  }
  for (const name of listNames) {
    const list = config[name];
    if (Array.isArray(list) && list.length > 0) return list.length;
  }
  const pattern = config[patternName];
  return typeof pattern === "string" && pattern !== "" ? pattern.length : undefined;
}
