// One line of the command palette.
import type { LucideIcon } from "lucide-react";

export const choiceKinds = ["Page", "Action", "Time range", "Model", "Execution", "Workload", "Tenant"] as const;
export type ChoiceKind = (typeof choiceKinds)[number];

export type Choice = {
  readonly id: string; // the same next time, so that what was used lately can be found again
  readonly kind: ChoiceKind;
  readonly text: string; // shown, and what typing looks in
  readonly beside?: string; // shown behind it
  readonly keys?: string; // "g f"
  readonly icon: LucideIcon;
  readonly run: () => void;
};
