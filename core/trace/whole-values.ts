// Fractions of a nanosecond cannot be stored. Per stack the remainders are carried on, so a sum is never more than half a unit off; that it happened is said.
export class WholeValues {
  private readonly carried = new Map<string, number>();
  private rounded = 0;

  of(key: string, value: number): number {
    const exact = value + (this.carried.get(key) ?? 0);
    const whole = Math.max(0, Math.round(exact));
    if (Math.abs(value - Math.round(value)) > 1e-6) this.rounded++; // below, the digits of a decimal that a double cannot hold
    if (exact !== whole) this.carried.set(key, exact - whole);
    return whole;
  }

  notes(): string[] {
    return this.rounded === 0 ? [] : [`Values that are no whole number, rounded (each stack's sum to the nearest): ${this.rounded.toLocaleString("en-US")}`];
  }
}
