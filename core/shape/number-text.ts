// Numbers for people: short where they are compared, exact where they are checked. No locale: the same text on every machine.

const decimalSteps = ["", "K", "M", "B", "T", "P"];
const byteSteps = ["B", "kB", "MB", "GB", "TB", "PB"];

// 32762123264 → "32.8B"; below 1,000 the number itself.
export function countText(count: number): string {
  const { digits, step } = scale(count);
  return `${digits}${decimalSteps[step]!}`;
}

// 65524246528 → "65.5 GB": decimal units, as disks and downloads count.
export function bytesText(bytes: number): string {
  const { digits, step } = scale(bytes);
  return `${digits} ${byteSteps[step]!}`;
}

// 32762123264 → "32,762,123,264".
export function exactText(count: number): string {
  return String(count).replace(/\B(?=([0-9]{3})+$)/g, ",");
}

function scale(value: number): { digits: string; step: number } {
  let step = 0;
  let scaled = value;
  // 999.95 rounds to 1000.0, which is written 1.0 of the next step.
  while (scaled >= (step === 0 ? 1000 : 999.95) && step < decimalSteps.length - 1) {
    scaled /= 1000;
    step++;
  }
  return { digits: step === 0 ? String(value) : scaled.toFixed(1), step };
}
