// In which module each module instance is called first. An instance that is called alone (recomputed on the backward thread, or by hand before the model runs) has
// its place in the model where it is called inside another, which may be far behind in the file.

export class ModuleCallers {
  outdated = false; // an instance said to have no caller has one
  private readonly callerOf = new Map<number, number>();
  private readonly names = new Map<number, string>(); // of callers: a reading that knows them may not have come to them yet
  private readonly toldNone = new Set<number>();

  // In order of time: the first caller counts. `name`: of the caller's event.
  learn(instance: number, caller: number, name: string): void {
    if (this.callerOf.has(instance)) return;
    this.callerOf.set(instance, caller);
    this.names.set(caller, name);
    if (this.toldNone.has(instance)) this.outdated = true;
  }

  // The instance and those it is called in, the outermost last.
  chainOf(instance: number): number[] {
    const chain = new Set([instance]);
    let outermost = instance;
    for (let caller = this.callerOf.get(instance); caller !== undefined && !chain.has(caller); caller = this.callerOf.get(caller)) chain.add((outermost = caller));
    if (!this.callerOf.has(outermost)) this.toldNone.add(outermost);
    return [...chain];
  }

  // undefined = it calls none.
  nameOf(instance: number): string | undefined {
    return this.names.get(instance);
  }
}
