// What the first stretch of a file must know of the last: in which module an instance is called first, what hooks say of a module anywhere, which thread
// autograd means by a number, whose launches a GPU runs. It is gathered stretch by stretch and small: it grows with the modules, threads and GPUs of a file, not with
// its calls. Where what a later stretch tells would have changed an answer given to an earlier one, the file must be read once more, with all of it known.
import { ForwardThreads } from "./forward-threads.ts";
import { GpuOwners } from "./gpu-owners.ts";
import { ModuleCallers } from "./module-callers.ts";
import { PathAnnotations } from "./path-annotations.ts";
import type { FileFacts } from "./trace-tables.ts";

export class Foreknowledge {
  readonly callers = new ModuleCallers();
  readonly annotations: PathAnnotations;
  readonly forwardThreads = new ForwardThreads();
  readonly gpus: GpuOwners;
  complete = false; // all of it was gathered by a reading before
  private modules: boolean;
  private modulesDenied = false;

  constructor(facts: FileFacts) {
    this.annotations = new PathAnnotations(facts.moduleCalls === 0);
    this.gpus = new GpuOwners(facts.lowestLaunched);
    this.modules = facts.moduleCalls > 0;
  }

  sawModule(): void {
    this.modules = true;
  }

  hasModules(): boolean {
    if (!this.modules) this.modulesDenied = true;
    return this.modules;
  }

  // An answer given would be another one now.
  get outdated(): boolean {
    return this.callers.outdated || this.annotations.outdated || this.forwardThreads.outdated || this.gpus.outdated || (this.modulesDenied && this.modules);
  }
}
