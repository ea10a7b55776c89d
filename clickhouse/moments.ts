// Moments in SQL and in whole hours: Unix seconds, UTC.
export const [hourS, dayS] = [3_600, 86_400];

export function floorTo(seconds: number, unit: number): number {
  return Math.floor(seconds / unit) * unit;
}

export function ceilingTo(seconds: number, unit: number): number {
  return Math.ceil(seconds / unit) * unit;
}

// A parameter as a DateTime.
export function moment(name: string): string {
  return `toDateTime({${name}:UInt32}, 'UTC')`;
}
