// Weights that share one tensor are not marked in a model_tree.json. The head of a language model is the one place where its configuration tells; everything else is
// said in a note and counted as the file has it.
import type { ShapeBody, TensorRow } from "#schema/api/models.ts";
import { joinPath } from "../locate.ts";
import { exactText } from "../number-text.ts";
import { roleOfClass } from "../role.ts";
import { dimsText } from "../tensor-notes.ts";
import { type JsonRecord, recordOf } from "./json-fields.ts";

// The weight of an embedding or of a head.
export interface NamedWeight {
  path: string;
  isHead: boolean;
  tensor: TensorRow;
  place: number; // in pre-order among these weights
}

const format = "model_tree.json does not mark tied weights";

export function namedWeight(className: string, name: string, path: string, tensors: readonly TensorRow[], place: number): NamedWeight | undefined {
  const isHead = name === "lm_head";
  if (!isHead && roleOfClass(className) !== "Embedding") return undefined;
  const tensor = tensors.find((one) => one.name === "weight" && one.role === "parameter");
  return tensor && { path: joinPath(path, "weight"), isHead, tensor, place };
}

export interface Ties {
  aliases: ShapeBody["aliases"];
  notes: string[];
}

export function tiesOf(config: JsonRecord, weights: readonly NamedWeight[]): Ties {
  const tied = config["tie_word_embeddings"] ?? recordOf(config["text_config"])?.["tie_word_embeddings"];
  if (tied === false) return { aliases: [], notes: [] };
  const heads = weights.filter(({ isHead }) => isHead);
  const embeddings = bySizes(weights.filter(({ isHead }) => !isHead));
  const alikeOf = ({ tensor }: NamedWeight): readonly NamedWeight[] => embeddings.get(sizesOf(tensor)) ?? [];
  if (tied !== true) return { aliases: [], notes: untold(heads.filter((head) => alikeOf(head).length > 0), alikeOf) };
  const sure = heads.filter((head) => alikeOf(head).length === 1);
  const aliases = sure.map((head) => aliasOf(head, alikeOf(head)[0]!));
  return { aliases, notes: [...absent(heads), ...taken(aliases, sure), ...undecided(heads.filter((head) => alikeOf(head).length !== 1), alikeOf)] };
}

function bySizes(weights: readonly NamedWeight[]): Map<string, NamedWeight[]> {
  const found = new Map<string, NamedWeight[]>();
  for (const weight of weights) {
    const sizes = sizesOf(weight.tensor);
    const alike = found.get(sizes);
    if (alike === undefined) found.set(sizes, [weight]);
    else alike.push(weight);
  }
  return found;
}

function sizesOf({ dtype, dims, packedBits }: TensorRow): string {
  return [dtype, packedBits, ...dims].join();
}

// The first of the two holds the tensor.
function aliasOf(head: NamedWeight, embedding: NamedWeight): { path: string; target: string } {
  return head.place < embedding.place ? { path: embedding.path, target: head.path } : { path: head.path, target: embedding.path };
}

function absent(heads: readonly NamedWeight[]): string[] {
  if (heads.length > 0) return [];
  return ["config.tie_word_embeddings is true and the tree has no lm_head with a weight: a module under two names is listed once, so the head is the embedding, which counts once"];
}

function taken(aliases: Ties["aliases"], heads: readonly NamedWeight[]): string[] {
  const [alias, head] = [aliases[0], heads[0]];
  if (alias === undefined || head === undefined) return [];
  return [`${format}: ${alias.path} is taken to share ${alias.target}, since config.tie_word_embeddings is true and both are ${dimsText(head.tensor.dims)} ${head.tensor.dtype}${more(heads)}`];
}

function undecided(heads: readonly NamedWeight[], alikeOf: (head: NamedWeight) => readonly NamedWeight[]): string[] {
  const [head] = heads;
  if (head === undefined) return [];
  const alike = alikeOf(head).length;
  return [`${format}: ${head.path} counts although it may be the embedding's: config.tie_word_embeddings is true, and ${alike === 0 ? "no embedding has" : `${exactText(alike)} embeddings have`} its sizes and dtype${more(heads)}`];
}

function untold(heads: readonly NamedWeight[], alikeOf: (head: NamedWeight) => readonly NamedWeight[]): string[] {
  const [head] = heads;
  if (head === undefined) return [];
  return [`${format}: ${head.path} counts although it may be ${alikeOf(head)[0]!.path}: the configuration in the file does not say whether they are tied${more(heads)}`];
}

function more(heads: readonly unknown[]): string {
  return heads.length === 1 ? "" : ` (so ${exactText(heads.length - 1)} more)`;
}
