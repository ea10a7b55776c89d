// Whether the layers of a model read a whole sequence at once and so keep no KV cache, whatever projections their attention has. No mask is in a shape: what tells
// are the classes and names on the way to the layers, read from the root on. BertLMHeadModel decodes though its layers lie in a BertEncoder; WhisperEncoder does not.
import type { ShapeBody } from "#schema/api/models.ts";
import type { LayerList } from "./pipeline-stages.ts";

const decoding = /decoder|CausalLM|LMHead|DoubleHeads/i;
const reading = [
  /encoder|ForMaskedLM|ForMaskedImageModeling|ForImageClassification|vision/i,
  /[Bb]ert(?=[A-Z\d]|$)|Roberta|Electra|Deberta|MPNet|Longformer|Funnel|Nystromformer|LayoutLM|Esm(?=[A-Z]|$)|Wav2Vec2|WavLM|Data2Vec/, // DistilBert, Hubert, …
  /(ViT|DeiT|Beit|Swin|Swinv2|Dinov2|CLIP|Siglip)(?=[A-Z\d]|$)/,
];
const silent = /\w*EncoderDecoder\w*|^TransformerEncoder(Layer)?$/g; // both halves; torch's own block, which many decoders are built of with a mask

// Why there is no figure, for people; null: the layers decode, or nothing tells.
export function encoderOnly(shape: ShapeBody, list: LayerList | undefined): string | null {
  const witness = witnessOf(shape, list);
  if (witness === undefined) return null;
  return `${decodesElsewhere(shape) ? "only the decoder beside the layers keeps a KV cache" : "no KV cache"}: ${witness}, which reads a whole sequence at once`;
}

function witnessOf(shape: ShapeBody, list: LayerList | undefined): string | undefined {
  const classes = new Set(shape.modules.map(({ className }) => className));
  if (classes.has("EncoderOnlyAttention") && !classes.has("Attention")) return "its attention is EncoderOnlyAttention"; // as vLLM names the two
  for (const { named, text } of wayTo(shape, list)) {
    if (decodes(named)) return undefined;
    if (reading.some((pattern) => pattern.test(named.replaceAll(silent, "")))) return text;
  }
  return undefined;
}

function decodes(named: string): boolean {
  return decoding.test(named.replaceAll(silent, ""));
}

// The `decoder` of a head for masked words is a leaf.
function decodesElsewhere({ modules }: ShapeBody): boolean {
  return modules.some(({ className, children }) => decodes(className) || children.some(({ name, module }) => name === "decoder" && modules[module]!.children.length > 0));
}

function wayTo(shape: ShapeBody, list: LayerList | undefined): { named: string; text: string }[] {
  let module = shape.modules[shape.root]!;
  const way = [module.className, shape.architecture].map((named) => ({ named, text: `the model is ${named}` }));
  for (const at of list?.position ?? []) {
    const { name, module: row } = module.children[at]!;
    module = shape.modules[row]!;
    for (const named of [module.className, name]) way.push({ named, text: `its layers lie in ${name}: ${module.className}` });
  }
  return way;
}
