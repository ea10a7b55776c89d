// How many machines ran a model. An imported recording names its host but no machine id: that is "not known", which is not zero.
export function Machines({ count }: { readonly count: number }) {
  if (count > 0) return <>{count}</>;
  return <span title="No process reported a machine id">—</span>;
}
