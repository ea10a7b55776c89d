// Which of the colours --share-1 … --share-6 a share has, from little to all of it.
export const shareSteps = 6;

export function shareStep(share: number): number {
  return Math.min(shareSteps, Math.max(1, Math.ceil(share * shareSteps)));
}
