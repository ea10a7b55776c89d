// The memory that uploads at the door hold in this isolate, all together. Requests run side by side in one isolate of 128 MB, and a small body may inflate to
// 8 MiB: what has no room is asked to come again, before it is read further. Requests cannot wait for one another in a Worker, so none is queued here.
import { limits } from "#schema/limits.ts";
import { ApiError } from "../problem.ts";

let heldBytes = 0;

export class DoorRoom {
  #own = 0;

  // Counts bytes that are about to be kept. Throws when all uploads together would hold more than doorBytesMax; one alone always fits.
  readonly take = (bytes: number): void => {
    if (heldBytes > this.#own && heldBytes + bytes > limits.doorBytesMax) {
      throw new ApiError("store_unavailable", { detail: "Too many large uploads arrive at once. Nothing of this one was kept; send the same bytes again.", retryAfterS: 2 });
    }
    this.#own += bytes;
    heldBytes += bytes;
  };

  leave(): void {
    heldBytes -= this.#own;
    this.#own = 0;
  }
}
