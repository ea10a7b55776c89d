// Thrown inside the reader of model_tree.json and caught at its door (read-model-tree.ts): the message says what is wrong and where in the file.
import { limits, type Limit } from "#schema/limits.ts";
import { encodeUtf8 } from "../../utf8.ts";

export class Refused extends Error {}

const shownMax = 200; // characters of a name or path in a message

// `place`: the path of a module, "" the root.
export function refuse(place: string, reason: string): never {
  throw new Refused(`${placeText(place)}: ${reason}`);
}

export function refuseOver(place: string, what: string, count: number, limit: Limit): never {
  refuse(place, `${what}: ${count} is over ${limit} = ${limits[limit]}`);
}

export function placeText(place: string): string {
  return place === "" ? "the root" : `"${place.slice(0, shownMax)}"`;
}

// A name, class or dtype of the contract's length.
export function withinName(text: string, place: string, what: string): string {
  if (text.length * 3 <= limits.nameBytesMax) return text; // UTF-8 takes at most three bytes per UTF-16 unit
  const bytes = encodeUtf8(text).length;
  return bytes <= limits.nameBytesMax ? text : refuseOver(place, `${what}, bytes`, bytes, "nameBytesMax");
}
