// Paths of modules without the steps that all of them begin with: "… .layers.17.mlp" tells them apart where "model.decoder.layers…" cut at its end does not.
export function withoutCommon(paths: readonly string[]): (path: string) => string {
  const steps = paths.map((path) => path.split("."));
  const least = Math.min(...steps.map((one) => one.length - 1));
  let common = 0;
  while (paths.length > 1 && common < least && steps.every((one) => one[common] === steps[0]?.[common])) common++;
  return (path) => (common === 0 ? path : `…${path.split(".").slice(common).join(".")}`);
}
